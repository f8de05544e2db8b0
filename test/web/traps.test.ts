import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/sql/port.ts'
import { axeViolations, openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { type Story, artifactOf, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function opened(): Promise<{
  server: WebServer
  story: Story
  open: (query: string) => Promise<Page>
}> {
  const { server, story } = await storyServer()
  onTestFinished(() => server.close())
  const open = async (query: string): Promise<Page> => {
    const { page } = await openPage(browser, `${server.url}/${query}`)
    await settled(page)
    return page
  }
  return { server, story, open }
}

async function register(
  { send }: WebServer,
  agent: string,
  version: string,
  environment: string,
): Promise<string> {
  const body = { artifact: artifactOf(agent, version), checksum: 'cd'.repeat(32), environment }
  return (await send('POST /v1/releases', body)).release_id as string
}

test('a reason that was forged in the database is not shown as what was hashed', async () => {
  const { server, open } = await opened()
  await server.sql.batch([
    sql`DROP TRIGGER actions_no_update`,
    sql`UPDATE actions SET reason = 'nothing to see here' WHERE reason = 'cheaper and faster, same tone'`,
  ])
  const page = await open('?view=log&kind=decision')
  const row = page.getByRole('listitem').filter({ hasText: 'nothing to see here' })
  await page.getByRole('button', { name: 'Verify the chain' }).click()
  await row.getByText('not as hashed').waitFor()
  await expect.poll(() => page.getByText('not as hashed').count()).toBe(1)
  await row.getByRole('link', { name: 'Promotion' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('The database says something else here').waitFor()
  await drawer.getByText('differ from it').waitFor()
  const reason = drawer.locator('.facts > div', { hasText: /^Reason/ })
  await expect.poll(() => reason.textContent()).toBe('Reasoncheaper and faster, same tone')
  expect(await axeViolations(page)).toEqual([])
})

describe('a decision', () => {
  test('preselects for a first promotion what was registered for that environment, and says nothing of a policy', async () => {
    const { server, open } = await opened()
    const staged = await register(server, 'courier', '1.0.0-beta', 'staging')
    await register(server, 'courier', '1.0.0', 'prod')
    const page = await open('?view=board&decide=promote&decide_agent=courier&decide_env=staging')
    const dialog = page.getByRole('dialog')
    await expect.poll(() => dialog.getByLabel('Release').inputValue()).toBe(staged)
    await dialog.getByText('the policy does not apply').waitFor()
    await expect.poll(() => dialog.getByText('passed').count()).toBe(0)
    await page.goto(`${server.url}/?view=board&decide=promote&decide_agent=courier&decide_env=qa`)
    await expect.poll(() => dialog.getByLabel('Release').inputValue()).toBe('')
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Promote', exact: true }).isDisabled())
      .toBe(true)
  })

  test('to roll back opens on the shortest window that holds enough of the old release', async () => {
    const { server, story, open } = await opened()
    server.clock.behindMs = -72 * 3_600_000
    const runs = Array.from({ length: 600 }, (_, index) => ({
      timestamp: new Date(Date.now() + 72 * 3_600_000 - (index + 1) * 60_000).toISOString(),
      agent_id: 'support-bot',
      release_id: story.candidate,
      run_id: `late-${index}`,
      tenant_id: 'acme',
      task_id: 'answer',
      environment: 'prod',
      metrics: { success: true, latency_ms: 800 },
      usage: { model: { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 1000, output_tokens: 300 } },
    }))
    await server.send('POST /v1/events', { events: runs })
    const page = await open('?view=board&decide=rollback&decide_agent=support-bot&decide_env=prod')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Passes the policy').waitFor()
    const window = new URL(page.url()).searchParams.get('decide_window')
    expect(window).toMatch(/^(?:\d+h|[34]d)$/)
    await dialog.getByText(/^Judged over/).click()
    await dialog.getByRole('button', { name: '24h' }).click()
    await dialog.getByText('Not yet: too little evidence').waitFor()
    await dialog.getByRole('button', { name: `Use ${window}, which holds enough` }).click()
    await dialog.getByText('Passes the policy').waitFor()
  })

  test('keeps the reason that was typed while its diff is looked at', async () => {
    const { open } = await opened()
    const page = await open('?view=board&decide=rollback&decide_agent=support-bot&decide_env=prod')
    await page.getByLabel('Reason').fill('complaints since noon')
    await page.getByRole('link', { name: 'See the whole comparison' }).click()
    await page.getByRole('region', { name: 'Verdict' }).waitFor()
    await page.goBack()
    await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('complaints since noon')
  })

  test('is not proposed for a release that was rolled back', async () => {
    const { server, story, open } = await opened()
    const body = { environment: 'prod', window: '24h', reason: 'too slow', actor: 'ann' }
    await server.send('PUT /v1/policy', {})
    await server.send('POST /v1/promote', { ...body, release_id: story.regression })
    await server.send('POST /v1/rollback', { ...body, release_id: story.candidate })
    const page = await open('?view=place&agent=support-bot&env=prod')
    await expect.poll(() => page.getByRole('button', { name: /Promote|attempt/ }).count()).toBe(0)
    await page.getByRole('button', { name: /Roll back/ }).click()
    const chosen = page.getByRole('dialog').getByLabel('Back to')
    await expect.poll(() => chosen.inputValue()).toBe(story.baseline)
    // Where a rollback would lead is said of each release.
    await register(server, 'support-bot', '2.0.0', 'prod')
    await page.reload()
    await expect
      .poll(async () =>
        (await chosen.locator('option').allTextContents()).map(text => text.replace(/ rel_\w+ ·/, '')),
      )
      .toEqual(['1.0.0 · live before', '2.0.0 · never live here', '1.2.0 · rolled back here'])
  })
})

test('a price that is missing is added in fields where that is said, with who needs it', async () => {
  const { server, open } = await opened()
  const artifact = artifactOf('courier', '2.0.0') as { spec: Record<string, object> }
  const spec = { ...artifact.spec, pricing_reference: { provider: 'openai', pricing_version: 'none' } }
  const body = { artifact: { ...artifact, spec }, checksum: 'cd'.repeat(32), environment: 'prod' }
  const { release_id } = await server.send('POST /v1/releases', body)
  const page = await open('?view=settings&part=prices')
  await page.getByText('Without prices').waitFor()
  await page.getByRole('link', { name: 'courier 2.0.0' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('release')).toBe(release_id)
  await page.goto(`${server.url}/?view=settings&part=prices`)
  await page.getByRole('link', { name: 'Add the price…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import prices' })
  await dialog.getByLabel('Input of gpt-4.1', { exact: true }).fill('0.002')
  await dialog.getByLabel('Output of gpt-4.1', { exact: true }).fill('0.008')
  await dialog.getByLabel('Your name').fill('kim')
  expect(await axeViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect.poll(() => page.getByText('Without prices').count()).toBe(0)
  const stored = await fetch(`${server.url}/v1/pricing/openai/none`)
  expect(await stored.json()).toMatchObject({
    entries: [{ model: 'gpt-4.1', input_usd_per_1k_tokens: 0.002, output_usd_per_1k_tokens: 0.008 }],
  })
})

test('nothing is said of what there is no data of', async () => {
  const { server, story, open } = await opened()
  const empty = await register(server, 'support-bot', '9.9.9', 'prod')
  const page = await open(
    `?view=place&agent=support-bot&env=prod&baseline=${story.candidate}&candidate=${empty}`,
  )
  const shown = await page.getByRole('table', { name: 'Limits' }).locator('tbody').textContent()
  expect(shown).toContain('no data')
  expect(shown).not.toMatch(/[+−]\d|no change/)
  await page.goto(
    `${server.url}/?view=board&decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${empty}`,
  )
  await page.getByText('Limit by limit').click()
  const row = page.getByRole('dialog').getByRole('row', { name: /^Errors/ })
  await expect.poll(() => row.textContent()).toMatch(/no data/)
})

test('what a receiver answered stands beside why that was not good enough', async () => {
  const { server, story, open } = await opened()
  const url = `${server.url}/no-such-hook`
  const { webhook_id } = await server.send('POST /v1/webhooks', { url, events: ['promote.blocked'] })
  const body = { release_id: story.regression, environment: 'prod', window: '24h', reason: 'again' }
  await server.send('POST /v1/promote', body)
  const page = await open(`?view=settings&part=webhooks&webhook=${webhook_id}`)
  const drawer = page.getByRole('dialog', { name: 'Webhook' })
  await drawer.getByText(/answered 40\d, \d+ ms/).waitFor()
  await drawer.locator('pre', { hasText: 'detail' }).waitFor()
  await drawer.getByRole('button', { name: /^Replay promote.blocked/ }).waitFor()
})

/** What is typed before it has the focus goes nowhere. */
const box = (page: Page) => page.getByRole('dialog', { name: 'Search' }).locator('input:focus')

describe('the search', () => {
  test.each([
    ['a run', (story: Story) => `run:${story.candidate}`, /view=runs/],
    ['a release by its version', () => 'support-bot 1.2', /view=place&.*release=rel_/],
    ['an agent', () => 'support', /view=place&agent=support-bot/],
  ])('finds %s by keys alone', async (_, typedOf, expected) => {
    const { server, story, open } = await opened()
    const runs = await fetch(
      `${server.url}/v1/runs?release_id=${story.candidate}&window=24h&environment=prod&limit=1`,
    )
    const { events } = (await runs.json()) as { events: { run_id: string }[] }
    const wanted = typedOf(story)
    const page = await open('')
    await page.keyboard.press('Control+k')
    await box(page).waitFor()
    await page.keyboard.type(wanted.startsWith('run:') ? events[0]!.run_id : wanted)
    const kind = { 'a run': 'Run', 'an agent': 'Agent' }[_] ?? 'Release'
    const option = page.getByRole('option').filter({ hasText: new RegExp(`^${kind}`) })
    await option.first().waitFor()
    expect(await axeViolations(page)).toEqual([])
    for (let step = 0; step < 8; step++) {
      if ((await option.first().getAttribute('aria-selected')) === 'true') break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toMatch(expected)
    await settled(page)
    if (kind === 'Run') await page.getByRole('dialog', { name: 'Run' }).waitFor()
  })

  test('opens an agent by its exact name, whatever releases are called', async () => {
    const { open } = await opened()
    const page = await open('')
    await page.keyboard.press('/')
    await box(page).waitFor()
    await page.keyboard.type('support-bot')
    await page
      .getByRole('option')
      .filter({ hasText: /^Agent/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'support-bot · prod' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('opens an agent by its exact name where others begin alike, as its name does on each page', async () => {
    const { server, open } = await opened()
    await register(server, 'support-bot-eu', '1.0.0', 'prod')
    const page = await open('')
    await page.keyboard.press('/')
    await box(page).waitFor()
    await page.keyboard.type('support-bot')
    await page.getByRole('option').filter({ hasText: 'support-bot-eu' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'support-bot · prod' }).waitFor({ timeout: 10_000 })
    for (const query of ['', '?view=log&kind=decision']) {
      await page.goto(`${server.url}/${query}`)
      await page.getByRole('link', { name: 'support-bot', exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name: 'support-bot · prod' }).waitFor({ timeout: 10_000 })
    }
  })

  test('lists pages and what can be done before anything is typed, and does it', async () => {
    const { open } = await opened()
    const page = await open('')
    await page.keyboard.press('/')
    await box(page).waitFor()
    const names = await page.getByRole('option').allTextContents()
    expect(names).toEqual(expect.arrayContaining(['PageBoard', 'DoVerify the chain', 'DoEdit the policy']))
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.type('back support')
    await page.getByRole('option').filter({ hasText: 'Roll back support-bot in prod' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Roll back' }).getByText('support-bot').first().waitFor()
  })

  test.each([
    ['a person', 'bob', /^Personbob/, 'by=bob'],
    ['a reason', 'cheaper and', /^Promotioncheaper and faster/, 'action=act_'],
  ])('finds %s', async (_, typed, name, where) => {
    const { open } = await opened()
    const page = await open('')
    await page.keyboard.press('Control+k')
    await box(page).waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option').filter({ hasText: name }).first().click()
    await expect.poll(() => page.url()).toContain(where)
  })

  test('finds a decision by the beginning of its id', async () => {
    const { open, server } = await opened()
    const { actions } = (await (await fetch(`${server.url}/v1/actions`)).json()) as {
      actions: { action_id: string }[]
    }
    const page = await open(`?search=${actions[0]!.action_id.slice(0, 8)}`)
    await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().click()
    await expect.poll(() => page.url()).toContain(actions[0]!.action_id)
  })

  test('opens what a link looks for, and says what is not there', async () => {
    const { open } = await opened()
    const page = await open('?search=no-such-thing')
    await page.getByText('No such name or id').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).searchParams.has('search')).toBe(false)
  })
})
