import { readFileSync, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type AxeRules,
  ALL,
  ASSETS,
  OF_COLOURS,
  OF_LAYOUT,
  axeViolations,
  connectBrowser,
  openOwnPage,
  openPage,
  scriptsAhead,
  settled,
} from '../support/browser/web_page.ts'
import { scaled } from '../support/scale.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { type Story, runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let empty: WebServer
let story: Story

beforeAll(async () => {
  ;[browser, server, empty] = await Promise.all([connectBrowser(), webServer(), webServer()])
  story = await runStory(server)
})
afterAll(async () => {
  await browser.close()
  await Promise.all([server.close(), empty.close()])
})

const PLACE = 'view=place&agent=support-bot&env=prod'

/** Each page by what is in its address, and words that it has to show. */
const PAGES = {
  board: () => ['', 'support-bot'],
  place: () => [PLACE, '1.2.0 is blocked'],
  release: () => [`${PLACE}&release=${story.candidate}`, 'A smaller model behind the same prompt.'],
  'a comparison of few runs': () => [
    `${PLACE}&baseline=${story.baseline}&candidate=${story.candidate}&window=2h`,
    'is not decided yet',
  ],
  'no place': () => ['view=place', 'No such place'],
  log: () => ['view=log', 'cheaper and faster, same tone'],
  runs: () => [`view=runs&release=${story.regression}&env=prod`, '650 runs match, showing 1 to 100'],
  evaluations: () => [`${PLACE}&sheet=evaluations`, 'No evaluation was imported'],
  health: () => ['view=settings', 'Runs arrive of 1 live release'],
  webhooks: () => ['view=settings&part=webhooks', 'No webhooks yet'],
  policy: () => ['view=settings&part=policy', 'Edit the policy…'],
  'the price tables': () => ['view=settings&part=prices', 'list-2026-08-21'],
  'a policy that is edited': () => ['view=settings&part=policy&edit=fields', 'Try it on past decisions'],
  prices: () => ['view=settings&part=prices&provider=openai&version=list-2026-08-21', 'gpt-4.1-mini'],
  access: () => ['view=settings&part=access', 'from this machine only'],
  'a promotion': () => [`view=board&${deciding('promote')}`, 'Blocked by policy'],
  'a rollback': () => [`view=board&${deciding('rollback')}`, 'Passes the policy'],
} satisfies Record<string, () => [query: string, words: string]>

function deciding(what: string): string {
  return `decide=${what}&decide_agent=support-bot&decide_env=prod`
}

/** Other states of a page that is opened anyway. */
const STATES: readonly string[] = [
  'a comparison of few runs',
  'no place',
  'a policy that is edited',
  'prices',
]
const OPENED = (Object.keys(PAGES) as (keyof typeof PAGES)[]).filter(
  name => scaled(false, true) || !STATES.includes(name),
)

test.each(OPENED)('%s is whole and accessible, in the dark and on a phone too', async name => {
  const [query, words] = PAGES[name]()
  const { page, problems, requested } = await openPage(browser, `${server.url}/?${query}`)
  await page.getByText(words).first().waitFor()
  await settled(page)
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 844 })
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(widths[0]).toBeLessThanOrEqual(widths[1]!)
  expect(await axeViolations(page, scaled<AxeRules>(OF_LAYOUT, ALL))).toEqual([])
  expect(problems).toEqual([])
  expect(requested.filter(url => !url.startsWith(server.url))).toEqual([])
})

const bytesOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(`${ASSETS}/${name}`), { level: 9 }).length, 0)

/** Runs in the page: nothing is loaded ahead then. */
function savesData(): void {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
}

test('in forced colours bars, lines and icons have those that the reader chose', async () => {
  const { page } = await openPage(browser, `${server.url}/?${PLACE}`)
  await page.locator('path.series.candidate').first().waitFor()
  await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
  const shown = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('p'))
    const chosen = ['CanvasText', 'GrayText', 'Highlight', 'LinkText', 'ButtonText'].map(name => {
      probe.style.color = name
      return getComputedStyle(probe).color
    })
    const coloursOf = (selector: string, property: 'color' | 'backgroundColor' | 'stroke'): string[] =>
      [...document.querySelectorAll(selector)].map(element => getComputedStyle(element)[property])
    const found = [
      ...coloursOf('.range-dot, .share-bar span', 'backgroundColor'),
      ...coloursOf('main .icon', 'color'),
      ...coloursOf('.series, .chart line', 'stroke'),
    ]
    return { count: found.length, strange: found.filter(colour => !chosen.includes(colour)) }
  })
  expect(shown.strange).toEqual([])
  expect(shown.count).toBeGreaterThan(25)
})

describe('what the service sends', () => {
  test('allows no inline script or style, and no other host', async () => {
    const response = await fetch(server.url)
    const policy = response.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:/)
    expect(policy).toContain("frame-ancestors 'none'")
    const html = await response.text()
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
    expect(html).not.toMatch(/(?:src|href)="\//)
  })

  test('shows where one is before the script has come, and once when it has', async () => {
    const { page } = await openPage(browser, `${server.url}/?view=settings&part=access`)
    const brand = page.getByRole('link', { name: 'Release governance' })
    await expect.poll(() => brand.count()).toBe(1)
    await page.route('**/*.js', route => route.abort())
    await page.reload()
    await brand.waitFor()
    await page.unroute('**/*.js')
    await page.reload()
    await page.getByText('from this machine only').waitFor()
    await expect.poll(() => brand.count()).toBe(1)
  })

  test('is small: the board, each page, and all of them together load no more scripts and styles than allowed', async () => {
    const { page, requested } = await openOwnPage(browser, 'about:blank')
    await page.addInitScript(savesData)
    for (const name of ['board', 'place', 'a promotion', 'policy'] as const) {
      requested.length = 0
      const [query, words] = PAGES[name]()
      await page.goto(`${server.url}/?${query}`)
      await page.getByText(words).first().waitFor()
      await settled(page)
      const loaded = requested.flatMap(url => /assets\/(.+\.(?:js|css))$/.exec(url)?.[1] ?? [])
      expect(loaded.length).toBeGreaterThan(1)
      expect(bytesOf(loaded), name).toBeLessThanOrEqual(name === 'board' ? 45_000 : 75_000)
    }
    await page.context().close()
    const all = readdirSync(ASSETS).filter(name => /\.(?:js|css)$/.test(name))
    expect(bytesOf(all)).toBeLessThanOrEqual(91_000)
  })

  test('says so where the code of a page is gone, because the service has another version', async () => {
    const { page } = await openOwnPage(browser, 'about:blank')
    await page.addInitScript(savesData)
    await page.goto(server.url)
    await page.getByText('support-bot').first().waitFor()
    await page.route('**/assets/*.js', route => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByText('The service may have another version by now.').waitFor()
    await page.unroute('**/assets/*.js')
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByText('cheaper and faster, same tone').waitFor()
    await page.context().close()
  })

  test('has loaded all pages ahead, so that each is there at once', async () => {
    const { page, requested } = await openOwnPage(browser, server.url)
    const count = scriptsAhead()
    await expect.poll(() => requested.filter(url => url.endsWith('.js')).length).toBe(count)
    await page.context().close()
  })

  test('keeps hashed assets for good and asks for the page each time', async () => {
    const response = await fetch(server.url)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const [script] = /assets\/[\w.-]+\.js/.exec(await response.text())!
    const asset = await fetch(`${server.url}/${script}`)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await fetch(`${server.url}/_headers`)).status).toBe(404)
    expect((await fetch(`${server.url}/docs/swagger-ui-bundle.js`)).headers.get('cache-control')).toBe(
      'no-cache',
    )
  })
})

describe('a place', () => {
  test('shows the failed runs where errors are chosen, each a click away', async () => {
    const { page } = await openPage(browser, `${server.url}/?${PLACE}&of=error_rate`)
    await page.getByRole('heading', { name: /^The failed runs/ }).waitFor()
    const link = page.getByRole('table', { name: 'Worst runs' }).getByRole('link').first()
    await page
      .getByRole('cell', { name: /timeout|tool_error/ })
      .first()
      .waitFor()
    const run = (await link.textContent())!
    await link.click()
    await page.getByRole('dialog').getByText('failed', { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('run')).toBe(run)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('says in the dialog as well how many more runs of each side a decision takes', async () => {
    const requested = `${deciding('promote')}&decide_release=${story.candidate}&decide_window=1h`
    const { page } = await openPage(browser, `${server.url}/?view=board&${requested}`)
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/^Not yet/)
      .first()
      .waitFor()
    await dialog.getByText(/It takes about \d+ more runs .*, about \d+ \w+ at the present rate/).waitFor()
  })

  test('draws charts with the same numbers in a table', async () => {
    const { page } = await openPage(browser, `${server.url}/?${PLACE}`)
    const chart = page.locator('figure', { hasText: 'Latency, mean' })
    await chart.locator('path.series.candidate').waitFor()
    await expect.poll(() => chart.locator('line.limit').count()).toBe(1)
    await chart.locator('line.mark.blocked').first().waitFor({ state: 'attached' })
    await chart.getByText('Numbers').click()
    await expect.poll(() => chart.getByRole('row').count()).toBeGreaterThan(10)
    await chart.locator('svg').hover()
    await expect.poll(() => chart.locator('figcaption').textContent()).toMatch(/1\.1\.0 [\d,]+ ms/)
  })
})

test('the log shows the evidence of an action, recomputes its hash, and verifies the chain', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=log`)
  await page
    .getByRole('listitem')
    .filter({ hasText: 'nicer answers' })
    .getByRole('link', { name: 'Promotion' })
    .click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('Recomputed here').waitFor()
  await drawer.getByText('equal').waitFor()
  await drawer.getByText('claimed, not proven (body)').waitFor()
  await drawer
    .getByRole('region', { name: 'Verdict on record' })
    .getByText(/costs more/)
    .waitFor()
  await expect.poll(() => drawer.textContent()).toContain('candidate latency_ms_avg')
  expect(await axeViolations(page)).toEqual([])
  await page.reload()
  await page.getByRole('dialog').getByText('Recomputed here').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Verify the chain' }).click()
  await page.getByText(/^chain holds: all [\d,]+ decisions recomputed here$/).waitFor()
})

test('runs can be filtered, opened and downloaded', async () => {
  const { page } = await openPage(
    browser,
    `${server.url}/?view=runs&release=${story.regression}&env=prod&window=24h`,
  )
  await page.getByText('650 runs match').waitFor()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByText('showing 101 to 200').waitFor()
  await page.getByLabel('Tenant').fill('contoso')
  await page.keyboard.press('Enter')
  await page.getByText(/1\d\d runs match, showing 1 to 100/).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download NDJSON' }).click(),
  ])
  const lines = await (await file.createReadStream()).toArray()
  const events = Buffer.concat(lines as Buffer[])
    .toString('utf8')
    .trim()
    .split('\n')
  expect(events.every(line => (JSON.parse(line) as { tenant_id: string }).tenant_id === 'contoso')).toBe(true)
  expect(events.length).toBeGreaterThan(100)
})
