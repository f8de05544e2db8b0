import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/sql/port.ts'
import { axeViolations, openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { type Story, artifactOf, runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let story: Story
let page: Page
let problems: string[]

beforeAll(async () => {
  ;[browser, server] = await Promise.all([connectBrowser(), webServer()])
  story = await runStory(server)
  ;({ page, problems } = await openPage(browser, `${server.url}/?view=log`))
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const actionsShown = () => page.getByRole('list', { name: /^What happened/ }).getByRole('listitem')
const addressOf = (name: string) => new URL(page.url()).searchParams.get(name)

/** The text of the file that a button downloads. */
async function downloaded(name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  return Buffer.concat((await (await file.createReadStream()).toArray()) as Buffer[]).toString('utf8')
}

test('the log is filtered by kind, verdict, person and days, all in the address, and exported so', async () => {
  await settled(page)
  await expect.poll(() => actionsShown().count()).toBe(9)
  await expect
    .poll(() => actionsShown().allTextContents())
    .toContainEqual(expect.stringMatching(/Retirement set/))
  await page.getByLabel('Kind').selectOption('Decisions')
  await expect.poll(() => actionsShown().count()).toBe(3)
  await page.getByRole('button', { name: 'Blocked' }).click()
  await expect.poll(() => actionsShown().count()).toBe(1)
  await expect.poll(() => actionsShown().textContent()).toContain('nicer answers')
  expect(addressOf('verdict')).toBe('blocked')
  const [header, row, end] = (await downloaded('Export CSV')).split('\r\n')
  expect(header).toMatch(
    /^\uFEFFaction_id,action,release_id,agent_id,environment,baseline_release_id,reason,policy_passed,/,
  )
  expect(row).toMatch(
    /^act_\w+,promote,rel_\w+,support-bot,prod,rel_\w+,nicer answers,false,"\[""cand.*exceeds.*,3,bob,blocked$/,
  )
  expect(end).toBe('')
  await page.getByText('1 row', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'All' }).click()
  await page.getByLabel('By').fill('ann')
  await page.keyboard.press('Enter')
  await expect.poll(() => actionsShown().count()).toBe(2)
  const today = await page.evaluate(() => {
    const now = new Date()
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map(part => `${part}`.padStart(2, '0'))
      .join('-')
  })
  const lines = (await downloaded('Export JSON lines')).trim().split('\n')
  expect(lines.map(line => (JSON.parse(line) as { actor: string }).actor)).toEqual(['ann', 'ann'])
  await page.getByLabel('To').fill('2026-01-01')
  await page.getByText('Nothing is like that').waitFor()
  await page.getByLabel('To').fill(today)
  await expect.poll(() => actionsShown().count()).toBe(2)
  await page.getByLabel('From').fill(today)
  await expect.poll(() => actionsShown().count()).toBeLessThan(2)
  expect(addressOf('from')).toBe(today)
  expect(await axeViolations(page)).toEqual([])
  await page.goto(`${server.url}/?view=log`)
  await page.getByRole('button', { name: 'Verify the chain' }).click()
  await page.getByText('chain holds: all 3 decisions recomputed here').waitFor()
  await page.getByText(/, head \w{12}, \d{4}-/).waitFor()
  const { note } = (await (await fetch(`${server.url}/v1/audit/checkpoint`)).json()) as { note: string }
  expect((await downloaded('Checkpoint')).split('\n').slice(0, 3)).toEqual(note.split('\n').slice(0, 3))
})

test('a watch is started, weighs what is proven against each limit, and is ended', async () => {
  await page.goto(`${server.url}/?view=settings&part=access`)
  await page.getByLabel('Your name').fill('ann')
  await page.goto(`${server.url}/?view=place&agent=support-bot&env=prod`)
  await page.getByText('⋯').click()
  await page.getByLabel('How long to watch').selectOption('8 h')
  await page.getByRole('button', { name: 'Watch it for 8 h' }).click()
  const drawer = page.getByRole('dialog', { name: /^Watch/ })
  await drawer.getByText('sends an alert only').waitFor()
  await check(addressOf('watch')!, 30)
  await page.reload()
  const latency = drawer
    .getByRole('table', { name: 'What the guard sees' })
    .getByRole('row', { name: /^Latency/ })
  await expect.poll(() => latency.textContent()).toMatch(/\+20\.0 % \+17\.5 %.*0\.0 %.*900 → 600$/)
  await expect.poll(() => latency.locator('.range-dot, .limit-line').count()).toBe(2)
  expect(await axeViolations(page)).toEqual([])
  await drawer.getByRole('button', { name: 'End it…' }).click()
  await page.getByLabel('Reason').fill('tried it out')
  await page.getByRole('button', { name: 'End the watch' }).click()
  await drawer.getByText('inconclusive').first().waitFor()
  await drawer
    .getByText(/tried it out/)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('list', { name: 'What happened' })
    .getByRole('listitem')
    .filter({ hasText: /Watch (?:ended|inconclusive)/ })
    .waitFor()
  expect(problems).toEqual([])
})

test('what regressed in its watch, and what has no prices, needs attention', async () => {
  const artifact = artifactOf('courier', '2.0.0') as { spec: Record<string, object> }
  const spec = { ...artifact.spec, pricing_reference: { provider: 'openai', pricing_version: 'none' } }
  const registered = { artifact: { ...artifact, spec }, checksum: 'cd'.repeat(32), environment: 'prod' }
  const { release_id } = await server.send('POST /v1/releases', registered)
  await server.send('POST /v1/promote', { release_id, environment: 'prod', window: '24h', reason: 'first' })
  await server.send('POST /v1/watches', { agent_id: 'support-bot', environment: 'prod', for: '2h' })
  await server.sql.batch([sql`UPDATE watches SET state = 'regressed' WHERE state = 'watching'`])
  await page.goto(server.url)
  const needs = page.getByRole('region', { name: 'Needs somebody' })
  const need = (agent: string) => needs.getByRole('listitem').filter({ hasText: agent })
  await need('support-bot').getByText('regressed', { exact: true }).waitFor()
  await need('courier').getByRole('link', { name: 'Add the price' }).waitFor()
})

test('a watch that regressed is an incident: what is worse, its rollback with a reason, and who was informed', async () => {
  const { watches } = await (await fetch(`${server.url}/v1/watches?state=regressed`)).json()
  const { watch_id } = (watches as { watch_id: string }[])[0]!
  const quiet = {
    alarm: null,
    baseline_runs: 900,
    limit: 0.2,
    change: 0,
    low: -0.1,
    smallest_detectable: 0.1,
  }
  const runs = { ...quiet, candidate_runs: 420 }
  const metrics = {
    cost_per_run_usd: runs,
    latency_ms: { ...runs, alarm: 'sequential', change: 0.31, low: 0.22 },
    error_rate: runs,
  }
  const json = JSON.stringify({ metrics, problems: [] })
  await server.sql.batch([
    sql`INSERT INTO watch_checks (watch_id, number, at, check_json) VALUES (${watch_id}, 99, ${Date.now()}, ${json})`,
    sql`UPDATE watches SET checks = 99 WHERE watch_id = ${watch_id}`,
  ])
  await page.goto(`${server.url}/?view=place&watch=${watch_id}`)
  const where = page.getByRole('region', { name: 'Where it stands' })
  await where
    .getByText('1.1.0 is worse than 1.0.0: latency +31.0 %, at least +22.0 %, where +20.0 % is allowed.')
    .waitFor()
  await page.getByText('Nobody by webhook or chat.').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.getByRole('button', { name: 'Roll back to 1.0.0…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Roll back/ })
  await expect
    .poll(() => dialog.getByLabel('Reason').inputValue())
    .toBe(`${watch_id}: latency +31.0 %, at least +22.0 %, where +20.0 % is allowed`)
  expect(addressOf('decide_release')).toBe(story.baseline)
  await page.keyboard.press('Escape')
})

/** Checks of a watch, as the service stores them: the latency is 20 % higher, which is proven ever closer. */
async function check(watchId: string, count: number): Promise<void> {
  const quiet = { alarm: null, baseline_runs: 900, limit: 0, change: 0, low: -0.5, smallest_detectable: 0.5 }
  const checks = Array.from({ length: count }, (_, index) => {
    const runs = { candidate_runs: (index + 1) * 20 }
    const metrics = {
      cost_per_run_usd: { ...quiet, ...runs },
      latency_ms: { ...quiet, ...runs, change: 0.2, low: 0.2 - 0.75 / (index + 1) },
      error_rate: { ...quiet, ...runs },
    }
    const json = JSON.stringify({ metrics, problems: [] })
    return sql`INSERT INTO watch_checks (watch_id, number, at, check_json)
      VALUES (${watchId}, ${index + 1}, ${Date.now() + index * 60_000}, ${json})`
  })
  await server.sql.batch([...checks, sql`UPDATE watches SET checks = ${count} WHERE watch_id = ${watchId}`])
}
