import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Fleet, seedSlowReturns } from '../support/browser/web_fleet.ts'
import { OF_COLOURS, axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { type Story, artifactOf, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

const PLACE = 'view=place&agent=support-bot&env=prod'
const PROD = { environment: 'prod', window: '24h' }
const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })
const limits = (page: Page) => page.getByRole('table', { name: 'Limits' })

async function opened(
  query = PLACE,
  shown: Parameters<typeof openPage>[2] = {},
): Promise<{ page: Page; server: WebServer; story: Story; problems: string[] }> {
  const { server, story } = await storyServer()
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(browser, `${server.url}/?${query}`, shown)
  await settled(page)
  return { page, server, story, problems }
}

async function register({ send }: WebServer, agent: string, version: string): Promise<string> {
  const body = { artifact: artifactOf(agent, version), checksum: 'cd'.repeat(32), environment: 'prod' }
  return (await send('POST /v1/releases', body)).release_id as string
}

describe('a candidate that is blocked', () => {
  test('says so once, above its limits, on the first screen; in the dark and on a phone too', async () => {
    const { page, problems } = await opened(PLACE, { viewport: { width: 1280, height: 800 } })
    await verdict(page)
      .getByRole('heading', { name: /^1\.2\.0 is blocked: .* \(and 2 more\)$/ })
      .waitFor()
    await expect
      .poll(() =>
        page
          .getByText(/is blocked/)
          .locator('visible=true')
          .count(),
      )
      .toBe(1)
    const row = limits(page).getByRole('row', { name: /^Cost per run beyond its limit/ })
    await expect
      .poll(() => row.textContent())
      .toMatch(/\$0\.00\d+\$0\.01\d+\+[\d,]+ %.*\$0\.008.*up to \$0\.008/)
    const { y, height } = (await limits(page).boundingBox())!
    expect(y + height).toBeLessThan(800)
    expect(await page.title()).toBe('support-bot in prod · Release governance')
    expect(await axeViolations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeViolations(page, OF_COLOURS)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await axeViolations(page)).toEqual([])
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!)
    expect(problems).toEqual([])
  })

  test('has no blue button, and an attempt of it only in the menu', async () => {
    const { page, story } = await opened()
    await verdict(page).getByRole('button', { name: 'Roll back…' }).waitFor()
    expect(await page.locator('main .button.primary').count()).toBe(0)
    await page.getByText('⋯').click()
    await page.getByText(`svc release promote ${story.regression} --env prod`).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Record an attempt…' }).click()
    await page.getByRole('dialog', { name: /support-bot · prod 1\.1\.0 → 1\.2\.0/ }).waitFor()
    expect(new URL(page.url()).searchParams.get('decide_release')).toBe(story.regression)
  })

  test('links to what was decided, newest first', async () => {
    const { page } = await opened()
    const happened = page.getByRole('list', { name: 'What happened' })
    await expect
      .poll(async () =>
        (await happened.getByRole('link').allTextContents()).filter(text => text.startsWith('Pro')),
      )
      .toEqual(['Promotion blocked', 'Promotion passed', 'Promotion passed'])
    await happened.getByRole('link', { name: 'Promotion blocked' }).click()
    await page.getByRole('dialog').getByText('nicer answers').first().waitFor()
  })
})

/** What a part of the page offers to do with a release. */
const offers = (part: Locator): Promise<string[]> =>
  part
    .locator('button, a.button')
    .filter({ hasText: /promote|roll ?back|attempt|rollout|approv/i })
    .allTextContents()

test.each([
  ['what is blocked', 'regression', '1.2.0'],
  ['what is live', 'candidate', '1.1.0'],
  ['what was live before', 'baseline', '1.0.0'],
] as const)('the contents of %s offer nothing that its place decides on', async (_, release, version) => {
  const { page, server, story } = await opened()
  await page.goto(`${server.url}/?${PLACE}&release=${story[release]}`)
  const sheet = page.getByRole('dialog', { name: /^Release/ })
  await sheet.getByRole('heading', { name: `support-bot ${version}` }).waitFor()
  await sheet.getByRole('heading', { name: 'Manifest' }).waitFor()
  expect(await offers(sheet)).toEqual([])
})

test('a release without a price can be promoted from no page of it', async () => {
  const { page, server } = await opened()
  const artifact = artifactOf('support-bot', '2.0.0') as { spec: object }
  const spec = { ...artifact.spec, pricing_reference: { provider: 'openai', pricing_version: 'none' } }
  const { release_id } = await server.send('POST /v1/releases', {
    artifact: { ...artifact, spec },
    checksum: 'cd'.repeat(32),
    environment: 'prod',
  })
  await page.goto(`${server.url}/?${PLACE}&release=${release_id}`)
  await verdict(page)
    .getByText(/^2\.0\.0 has no price table/)
    .waitFor()
  const sheet = page.getByRole('dialog', { name: /^Release/ })
  await sheet.getByRole('heading', { name: 'Manifest' }).waitFor()
  expect(await offers(sheet)).toEqual([])
  expect(await offers(verdict(page))).toEqual(['Roll back…', 'Record an attempt…'])
})

test('a release that was rolled back is not proposed again, and says that it was', async () => {
  const { page, server, story } = await opened()
  await server.send('PUT /v1/policy', { policy_id: 'none', require_high_diff_confidence: false })
  const body = { ...PROD, reason: 'errors tripled', actor: 'ann' }
  await server.send('POST /v1/promote', { ...body, release_id: story.regression })
  await server.send('POST /v1/rollback', { ...body, release_id: story.candidate })
  await page.reload()
  await verdict(page)
    .getByRole('heading', { name: /^1\.1\.0 is live; the newest release, 1\.2\.0, was rolled back at/ })
    .waitFor()
  await page.getByText('Since it went live').waitFor()
  await expect.poll(() => page.getByRole('button', { name: /^Promote|attempt|rollout/ }).count()).toBe(0)
})

test('a live release without a successor is compared with what it replaced, and nothing of it is blocked', async () => {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  await server.send('PUT /v1/policy', { min_candidate_runs: 5000 })
  for (const version of ['1.0.0', '1.1.0']) {
    const release_id = await register(server, 'notes-bot', version)
    const force = version === '1.0.0' ? { first: true } : {}
    await server.send('POST /v1/promote', { ...PROD, release_id, reason: 'go', ...force })
    await server.send('PUT /v1/policy', { policy_id: 'none', require_high_diff_confidence: false })
  }
  const { page } = await openPage(browser, `${server.url}/?view=place&agent=notes-bot&env=prod`)
  await verdict(page).getByText('1.1.0 is live; the newest release is live').waitFor()
  await expect
    .poll(() =>
      page
        .getByText(/blocked|too little evidence/i)
        .locator('visible=true')
        .count(),
    )
    .toBe(0)
  await expect.poll(() => limits(page).getByRole('cell', { name: 'no limit' }).count()).toBe(3)
})

test('one limit holds in the table and in the chart: that of the override', async () => {
  const { page, server } = await opened()
  const { policy_id } = (await (await fetch(`${server.url}/v1/policy`)).json()) as { policy_id: string }
  const overrides = [{ agent_id: 'support-*', max_latency_ms: 9000 }]
  await server.send('PUT /v1/policy', { policy_id, max_latency_ms: 2000, overrides })
  await page.reload()
  const row = limits(page).getByRole('row', { name: /^Latency within its limit/ })
  await expect.poll(() => row.textContent()).toMatch(/9,?000 ms/)
  expect(await limits(page).textContent()).not.toMatch(/2,?000 ms/)
  await page.locator('figure').getByText('limit 9,000 ms, above').waitFor()
})

describe('where it comes from', () => {
  let server: WebServer
  let fleet: Fleet

  beforeAll(async () => {
    server = await webServer()
    fleet = await seedSlowReturns(server, { limitMs: 1500 })
    await server.send('PUT /v1/policy', {
      max_latency_ms: 1500,
      max_segment_latency_increase_pct: 0.8,
      min_candidate_runs: 200,
      min_baseline_runs: 200,
    })
  })
  afterAll(() => server.close())

  const of = async (more = ''): Promise<Page> => {
    const { page } = await openPage(browser, `${server.url}/?view=place&agent=returns-desk&env=prod${more}`)
    await settled(page)
    return page
  }

  test('opens on what explains most, with the worst runs by what is worse: a run is one click away', async () => {
    const page = await of()
    await page.getByText(/^(?:9\d|100) % from task returns$/).waitFor()
    const first = page.getByRole('table', { name: 'Difference by task' }).locator('tbody tr').first()
    await expect.poll(() => first.textContent()).toMatch(/^returns.*134 → 134.*ms → [\d,]+ ms.*\+[\d,]+ ms/)
    await page.getByRole('heading', { name: 'The slowest runs of returns' }).waitFor()
    const runs = page.getByRole('table', { name: 'Worst runs' }).locator('tbody tr')
    await expect.poll(() => runs.count()).toBe(10)
    for (const text of await runs.allTextContents()) expect(text).toContain('returns')
    await runs.first().getByRole('link').click()
    await page.getByRole('dialog').getByText('returns').first().waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('tasks have their names in the limits too, not the numbers of their rows', async () => {
    const page = await of()
    const row = limits(page).getByRole('row', { name: /^Latency, returns beyond its limit/ })
    await expect
      .poll(() => row.textContent())
      .toMatch(/9\d\d ms3[,.]?\d+ ms\+30\d %.*\+80 %up to 1[,.]?6\d\d ms/)
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/(?:task|tenant) \d/)
  })

  test('of one tenant only says so, offers nothing, and leaves out what is asked of all tenants', async () => {
    const page = await of()
    await page.getByRole('button', { name: 'Tenant', exact: true }).click()
    await page.getByRole('link', { name: 'Only tenant acme' }).click()
    await verdict(page)
      .getByRole('heading', { name: /^Only acme: / })
      .waitFor()
    expect(await verdict(page).getByRole('button').count()).toBe(0)
    await limits(page)
      .getByRole('row', { name: /^Latency/ })
      .first()
      .waitFor()
    expect(await limits(page).textContent()).not.toContain('any tenant or task')
    await expect
      .poll(() =>
        page
          .getByText(/blocked|no data/i)
          .locator('visible=true')
          .count(),
      )
      .toBe(0)
    await page.getByRole('link', { name: 'Back to what is next' }).click()
    await verdict(page)
      .getByText(/^1\.1\.0 is blocked/)
      .waitFor()
  })

  test('what changed shows settings, tools, files and lines side by side', async () => {
    const page = await of()
    const table = page.getByRole('table').filter({ hasText: 'Temperature' })
    await expect
      .poll(() => table.getByRole('row', { name: /Temperature/ }).textContent())
      .toBe('Temperature0.20.7')
    await expect.poll(() => table.locator('ins').allTextContents()).toEqual(['web_search'])
    await page.getByText('2 files of the bundle differ').waitFor()
    const lines = page.getByRole('group', { name: 'Lines of system.md that differ' })
    await expect.poll(() => lines.locator('.removed').textContent()).toBe('removed: Be brief.')
    await expect.poll(() => lines.locator('.added').textContent()).toBe('added: Be thorough.')
    await page.getByText('its text was not kept').waitFor()
    await page.getByText('Percentiles of the latency').click()
    const row = page.getByRole('row', { name: /^p95/ })
    await expect.poll(() => row.textContent()).toMatch(/p95[\d,]+ ms[\d,]+ ms\+[\d,]+ ms \(\+/)
  })

  test('the chart is of one measure, moved along by the keyboard, with both releases by name', async () => {
    const page = await of('&window=7d')
    const chart = page.locator('figure')
    await expect.poll(() => chart.locator('.legend').textContent()).toMatch(/^1\.0\.01\.1\.0limit/)
    await chart.locator('svg').focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => chart.locator('figcaption').textContent()).toMatch(/\d\d-\d\d \d\d:\d\d/)
    await page.getByRole('button', { name: 'Error rate' }).click()
    await chart.locator('.chart-title', { hasText: 'Error rate' }).waitFor()
    expect(new URL(page.url()).searchParams.get('chart')).toBe('errors')
  })

  test('the words of the sentence choose what is compared, and the address has it', async () => {
    const page = await of()
    await page.getByLabel('Window').selectOption('1h')
    await page.getByText(/· 1\d against 1\d runs/).waitFor()
    await page.getByLabel('Baseline').selectOption(fleet.after)
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('window'), searchParams.get('baseline')]).toEqual(['1h', fleet.after])
    await page.getByRole('link', { name: 'Back to what is next' }).waitFor()
  })

  test('a link to a moment shows that moment, whenever it is opened', async () => {
    const page = await of()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy a link to this moment' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
    expect(link.searchParams.get('until')).toMatch(/^\d{4}-.*Z$/)
    await page.goto(link.href)
    await page.getByText('400 against 400 runs').waitFor()
    link.searchParams.set('until', new Date(Date.now() - 10 * 3_600_000).toISOString())
    await page.goto(link.href)
    await page.getByText(/20\d against 20\d runs/).waitFor()
    expect(await verdict(page).getByRole('button').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Show the present' }).click()
    await page.getByText('400 against 400 runs').waitFor()
  })

  test('a link to a moment is in the evidence of a decision', async () => {
    const body = { release_id: fleet.after, ...PROD, reason: 'faster refunds' }
    const { outcome } = (await server.send('POST /v1/promote', { ...body, actor: 'ann' })).detail
    const { page } = await openPage(browser, `${server.url}/?view=log&action=${outcome.action_id}`)
    await page.getByRole('link', { name: 'The comparison of that moment' }).click()
    await page.getByText('400 against 400 runs').waitFor()
    expect(new URL(page.url()).searchParams.get('until')).not.toBeNull()
  })
})
