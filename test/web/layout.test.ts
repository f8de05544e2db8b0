import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { scaled } from '../support/scale.ts'
import { artifactOf, runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let pages: Readonly<Record<string, string>>

/** A story with what takes room: long names, three environments, requests that wait, webhooks that fail. */
beforeAll(async () => {
  browser = await connectBrowser()
  server = await webServer({ workspace: { promotion_requires_approval: true } })
  const { send } = server
  // No route of its own takes a delivery.
  const refusing = `${server.url}/hooks/${'customer-operations-'.repeat(5)}`
  const { baseline, candidate, regression } = await runStory(server)
  const events = ['promote.succeeded', 'promote.blocked', 'rollback.succeeded', 'promotion.requested']
  const description = 'release channel of the customer operations team'
  const { webhook_id } = await send('POST /v1/webhooks', { url: refusing, events, description })
  const ask = { environment: 'prod', window: '24h', actor: 'maria.fernandez-oconnor@example.com' }
  const request = async (release_id: string, more: object = {}): Promise<string> =>
    (await send('POST /v1/promote/request', { ...ask, release_id, reason: REASON, ...more })).request_id
  await send('POST /v1/promote/confirm', { request_id: await request(baseline), approval_reason: 'fine' })
  for (const environment of ['dev', 'staging', 'prod']) {
    const artifact = artifactOf('customer-onboarding-assistant', '2026.11.22-rc.1+build.4711')
    const body = { artifact, checksum: 'cd'.repeat(32), environment }
    const { release_id } = await send('POST /v1/releases', body)
    await request(release_id, { environment })
  }
  const { policy_id } = (await (await fetch(`${server.url}/v1/policy`)).json()) as { policy_id: string }
  const overrides = [{ agent_id: 'customer-onboarding-*', environment: 'prod', max_latency_p95_ms: 2500 }]
  await send('PUT /v1/policy', { policy_id, max_latency_ms: 2000, overrides })
  await send('POST /v1/promote/confirm', { request_id: await request(candidate), approval_reason: 'fine' })
  const watching = { agent_id: 'support-bot', environment: 'prod', for: '2h', actor: ask.actor }
  const { watch_id } = await send('POST /v1/watches', watching)
  const waiting = await request(baseline)
  const { actions } = (await (await fetch(`${server.url}/v1/actions`)).json()) as {
    actions: { action_id: string }[]
  }
  const place = 'view=place&agent=support-bot&env=prod'
  const decide = 'decide_agent=support-bot&decide_env=prod'
  pages = {
    board: '',
    place,
    release: `${place}&release=${candidate}`,
    'a comparison': `${place}&baseline=${candidate}&candidate=${regression}`,
    'one of few': `${place}&baseline=${baseline}&candidate=${candidate}&window=2h`,
    log: 'view=log',
    action: `view=log&action=${actions[0]!.action_id}`,
    request: `${place}&request=${waiting}`,
    runs: `view=runs&release=${regression}&env=prod`,
    webhooks: 'view=settings&part=webhooks',
    webhook: `view=settings&part=webhooks&webhook=${webhook_id}`,
    policy: 'view=settings&part=policy',
    prices: 'view=settings&part=prices&provider=openai&version=list-2026-08-21',
    'prices that are imported': 'view=settings&part=prices&prices=import',
    'a policy that is edited': 'view=settings&part=policy&edit=fields',
    watch: `${place}&watch=${watch_id}`,
    evaluations: `${place}&sheet=evaluations`,
    access: 'view=settings&part=access',
    'a promotion': `decide=promote&${decide}&decide_release=${regression}`,
    'a rollback': `decide=rollback&${decide}`,
    search: 'search=support',
  }
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const REASON = 'Shorter answers, and the refund flow no longer asks twice for the order number'
/** On both sides of each width at which the page changes. */
const WIDTHS = scaled([320, 768, 1280], [320, 375, 390, 768, 900, 1024, 1100, 1280, 1440])

test.each([
  'board',
  'place',
  'release',
  'a comparison',
  'one of few',
  'log',
  'action',
  'request',
  'runs',
  'webhooks',
  'webhook',
  'policy',
  'prices',
  'prices that are imported',
  'a policy that is edited',
  'watch',
  'evaluations',
  'access',
  'a promotion',
  'a rollback',
  'search',
])('%s scrolls sideways on no screen, and every button is within reach', async name => {
  const { page } = await openPage(browser, `${server.url}/?${pages[name]!}`)
  await settled(page)
  const problems: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    problems.push(...(await tooWide(page)).map(problem => `${width} px: ${problem}`))
  }
  expect(problems).toEqual([])
})

test('on a phone all pages are behind a button, with their names, and within the screen', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=settings&part=policy`, {
    viewport: { width: 320, height: 640 },
  })
  const nav = page.getByRole('navigation', { name: 'Pages' })
  const button = nav.getByRole('button', { name: 'Settings' })
  await button.focus()
  await expect.poll(() => nav.getByRole('listitem').count()).toBe(0)
  await page.keyboard.press('Enter')
  await expect.poll(() => unseen(page)).toEqual([])
  await nav.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  await expect.poll(() => nav.getByRole('listitem').count()).toBe(0)
})

test.each([1024, 900])('every page is named at %d px', async width => {
  const { page } = await openPage(browser, server.url, { viewport: { width, height: 800 } })
  await settled(page)
  expect(await unseen(page)).toEqual([])
})

/** Links to pages of which the name is not within the screen. */
function unseen(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const labels = [...document.querySelectorAll('.sidebar li .nav-label')]
    const isSeen = (label: Element): boolean => {
      const { left, right, top, width, height } = label.getBoundingClientRect()
      return width > 8 && height > 8 && left >= 0 && right <= innerWidth && top < innerHeight
    }
    if (labels.length < 4) return ['no pages']
    return labels.filter(label => !isSeen(label)).map(label => label.textContent)
  })
}

test('a drawer reaches the edge of the screen, and nothing behind it moves', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=settings&part=webhooks`)
  await settled(page)
  const edges = (): Promise<number[]> =>
    page.evaluate(() =>
      ['html', 'main', 'dialog'].map(
        name => document.querySelector(name)?.getBoundingClientRect().right ?? 0,
      ),
    )
  const [seen, before] = await edges()
  expect(seen).toBeLessThan(page.viewportSize()!.width)
  await page.getByRole('link', { name: /\/hooks\// }).click()
  await page.getByRole('dialog', { name: 'Webhook' }).waitFor()
  const width = page.viewportSize()!.width
  expect(await edges()).toEqual([width, before, width])
})

test('a column of the log is no narrower than its usual words', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=log&kind=decision`, {
    viewport: { width: 900, height: 900 },
  })
  await settled(page)
  const link = page
    .getByRole('listitem')
    .getByRole('link', { name: /promotion/i })
    .first()
  expect(
    await link.evaluate(
      element => element.querySelector('bdi')?.getClientRects().length ?? element.getClientRects().length,
    ),
  ).toBe(1)
})

/** What sticks out of the page, or of the dialog that is open, to the right. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const dialog = document.querySelector<HTMLElement>('dialog[open]')
    const scrolled = [document.documentElement, ...(dialog === null ? [] : [dialog])]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(element => `${element.tagName} is ${element.scrollWidth - element.clientWidth} px too wide`)
    const reachable = (dialog ?? document.querySelector('#main')!).querySelectorAll<HTMLElement>(
      'a, button, input, select, summary',
    )
    const cut = [...reachable]
      .filter(element => element.checkVisibility() && element.closest('.numbers, .line-diff') === null)
      .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
      .map(element => `cut: ${element.textContent || element.outerHTML.slice(0, 80)}`)
    return [...scrolled, ...cut]
  })
}
