import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { type Story, storyServer } from '../support/browser/web_story.ts'
import { httpReceiver } from '../support/processes/http_receiver.ts'

let browser: Browser
let server: WebServer
let story: Story
let page: Page
let problems: string[]

/** One page of one service: a page that one test uses is changed by no other. */
beforeAll(async () => {
  ;[browser, { server, story }] = await Promise.all([
    connectBrowser(),
    storyServer({ workspace: { promotion_requires_approval: true } }),
  ])
  ;({ page, problems } = await openPage(browser, server.url))
})
afterAll(async () => {
  await browser.close()
  await server.close()
})
afterEach(() => {
  if (problems.length > 0) throw new Error(problems.join('\n'))
})

const press = (key: string): Promise<void> => page.keyboard.press(key)
const type = (text: string): Promise<void> => page.keyboard.type(text)
const read = async (path: string) => (await fetch(`${server.url}/v1/${path}`)).json() as Promise<never>
const drawer = (name: string) => page.getByRole('dialog', { name, exact: true })
/** Resolves when what is typed goes into a field of the drawer. */
const awaitsText = (name: string): Promise<void> =>
  drawer(name).locator('input:focus, textarea:focus').waitFor()
const addressOf = (name: string): string | null => new URL(page.url()).searchParams.get(name)

/** Opens a page, and goes past the list of pages as a keyboard does. */
async function open(query: string): Promise<void> {
  await page.goto(`${server.url}/?${query}`)
  await settled(page)
  if (/&(?:request|rollout|watch|release)=/.test(query)) return page.locator('dialog[open]').waitFor()
  if ((await page.locator('dialog[open]').count()) > 0) return
  await tabTo('Skip to the page', 'Tab', 1)
  await press('Enter')
}

/** Goes on by Tab until what has this name has the focus, which has to be seen. */
async function tabTo(name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab', most = 40): Promise<void> {
  const passed: string[] = []
  for (let step = 0; step < most; step++) {
    await press(key)
    const at = await page.evaluate(focused)
    passed.push(at.name)
    if (typeof name === 'string' ? at.name !== name : !name.test(at.name)) continue
    expect(at, at.name).toMatchObject({ isInView: true, isMarked: true })
    return
  }
  expect.fail(`${String(name)} is not among ${passed.join(' | ')}`)
}

/** What has the focus, as assistive technology names it, and whether the eye finds it. */
function focused(): { name: string; isInView: boolean; isMarked: boolean } {
  const element = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> }
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const { top, bottom, left, right, width } = element.getBoundingClientRect()
  return {
    name: (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).trim(),
    isInView: width > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
  }
}

async function closed(): Promise<void> {
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
}
const nameOfFocus = async (): Promise<string> => (await page.evaluate(focused)).name

test('a policy is edited, tried, and set', async () => {
  await open('view=settings&part=policy')
  await tabTo('Edit the policy…')
  await press('Enter')
  await drawer('Edit the policy').waitFor()
  await tabTo('Latency, mean, at most (ms)')
  await press('Control+a')
  await type('700')
  await press('Enter')
  await page.getByText('Would have changed 1 of the last 3 decisions').waitFor()
  await expect.poll(nameOfFocus).toBe('Why')
  await type('as slow as it ever was')
  await press('Tab')
  await type('kim')
  await tabTo('Set this policy')
  await press('Enter')
  await closed()
  expect(await read('policy')).toMatchObject({ max_latency_ms: 700 })
  expect(await read('audit?kind=policy')).toMatchObject({
    entries: [{ actor: 'kim', reason: 'as slow as it ever was' }, {}],
  })
})

test('prices are imported once what they change is seen', async () => {
  await open('view=settings&part=prices')
  await tabTo('Import prices…')
  await press('Enter')
  const table = drawer('Import prices').getByLabel('Price table')
  await expect.poll(() => table.inputValue()).toContain('list-2026-08-21')
  await tabTo('Advanced: the table as JSON')
  await press('Enter')
  const { entries } = JSON.parse(await table.inputValue()) as { entries: Record<string, unknown>[] }
  await tabTo('Price table')
  await press('Control+a')
  const written = { provider: 'openai', pricing_version: 'list-2026-08-21', entries: entries.slice(0, 1) }
  await page.keyboard.insertText(JSON.stringify(written))
  await drawer('Import prices').getByText('What it replaces').waitFor()
  await drawer('Import prices').getByRole('row', { name: 'gpt-4.1-mini, input $0.0004 none' }).waitFor()
  await page.keyboard.press('Control+a')
  written.pricing_version = 'list-2026-11-22'
  written.entries = [{ ...entries[0], input_usd_per_1k_tokens: 0.003 }, entries[1]!]
  await page.keyboard.insertText(JSON.stringify(written))
  await drawer('Import prices').getByRole('row', { name: 'gpt-4.1, input $0.002 $0.003' }).waitFor()
  await tabTo('Import')
  await press('Enter')
  await closed()
  expect(await read('pricing/openai/list-2026-11-22')).toMatchObject({ entries: written.entries })
  expect(await read('audit?kind=prices')).toMatchObject({
    entries: [{ actor: 'kim', details: { action: 'insert' } }, {}],
  })
})

test('of two requests one is confirmed, and the other cancelled', async () => {
  const ask = { environment: 'prod', window: '24h', actor: 'ann' }
  await server.send('PUT /v1/policy', {})
  const requestOf = async (release_id: string, reason: string): Promise<string> =>
    (await server.send('POST /v1/promote/request', { ...ask, release_id, reason })).request_id
  const nicer = await requestOf(story.regression, 'nicer')
  const older = await requestOf(story.baseline, 'older')
  const sheet = page.getByRole('dialog', { name: 'Request for support-bot · prod' })
  await open(`view=place&agent=support-bot&env=prod&request=${older}`)
  await sheet.getByText('older').first().waitFor()
  await tabTo('Cancel…')
  await press('Enter')
  await awaitsText('Cancel: support-bot · prod 1.1.0 → 1.0.0')
  await type('superseded')
  await tabTo('Cancel the request')
  await press('Enter')
  await sheet.getByText('cancelled', { exact: true }).first().waitFor()
  await open(`view=place&agent=support-bot&env=prod&request=${nicer}`)
  await sheet.getByText('nicer').first().waitFor()
  await tabTo('Confirm…')
  await press('Enter')
  const approving = 'Approve: support-bot · prod 1.1.0 → 1.2.0'
  await drawer(approving).getByText('Passes the policy').waitFor()
  await awaitsText(approving)
  await type('looked at the diff')
  await tabTo('Confirm and promote')
  await press('Enter')
  await drawer(approving).getByText('Promoted', { exact: true }).waitFor()
  await tabTo('Done')
  await press('Enter')
  await expect.poll(() => drawer(approving).count()).toBe(0)
  expect(await read('promotion-requests')).toMatchObject({
    requests: [
      { status: 'cancelled', resolved_by: 'kim', resolution_reason: 'superseded' },
      { status: 'completed', resolved_by: 'kim', resolution_reason: 'looked at the diff' },
    ],
  })
})

test('a watch is started and ended', async () => {
  await open('view=place&agent=support-bot&env=prod')
  await tabTo('More')
  await press('Enter')
  await tabTo('Watch it for 2 h')
  await press('Enter')
  await page.getByText('sends an alert only').waitFor()
  await tabTo('End it…')
  await press('Enter')
  await expect.poll(nameOfFocus).toBe('Reason')
  await type('tried it out')
  await tabTo('End the watch')
  await press('Enter')
  await page
    .getByRole('dialog', { name: /^Watch/ })
    .getByText('inconclusive')
    .first()
    .waitFor()
  expect(await read('watches')).toMatchObject({
    watches: [{ started_by: 'kim', ended_by: 'kim', ended_because: expect.stringContaining('tried it out') }],
  })
})

test('what a receiver did not take is looked at, replayed, and all of it replayed', async () => {
  let status = 500
  const receiver = await httpReceiver(response => response.writeHead(status).end())
  const hook = { url: receiver.url, events: ['promotion.requested'] }
  const { webhook_id } = await server.send('POST /v1/webhooks', hook)
  const body = { environment: 'prod', window: '24h', reason: 'again', release_id: story.baseline }
  for (const actor of ['ann', 'bob']) {
    const { request_id } = await server.send('POST /v1/promote/request', { ...body, actor })
    await server.send('POST /v1/promote/cancel', { request_id, reason: 'no', actor })
  }
  const states = async (): Promise<string> => {
    const { deliveries } = await read(`webhooks/${webhook_id}/deliveries`)
    return (deliveries as { status: string }[]).map(delivery => delivery.status).join(' ')
  }
  await expect.poll(states).toBe('failed failed')
  status = 204
  await open('view=settings&part=webhooks')
  await tabTo(receiver.url)
  await press('Enter')
  await drawer('Webhook').waitFor()
  await tabTo('Payload')
  await press('Enter')
  await drawer('Webhook').locator('details[open]', { hasText: '"event": "promotion.requested"' }).waitFor()
  await tabTo(/^Replay promotion.requested/, 'Shift+Tab')
  await press('Enter')
  await expect.poll(states).toBe('delivered failed')
  status = 500
  for (const actor of ['cho', 'dora']) {
    const { request_id } = await server.send('POST /v1/promote/request', { ...body, actor })
    await server.send('POST /v1/promote/cancel', { request_id, reason: 'no', actor })
  }
  await expect.poll(states).toBe('failed failed delivered failed')
  status = 204
  await page.reload()
  await page.getByRole('button', { name: 'Replay all 3 that failed' }).waitFor()
  await tabTo('Replay all 3 that failed')
  await press('Enter')
  await expect.poll(states).toBe('delivered delivered delivered delivered')
})

test('a trace is found by / and its run opens; Escape leads back to where one was', async () => {
  const { events } = (await read(
    `runs?release_id=${story.candidate}&window=24h&environment=prod&limit=1`,
  )) as {
    events: { run_id: string; request: { trace_id: string } }[]
  }
  await open('view=log')
  await press('/')
  await awaitsText('Search')
  await type(events[0]!.request.trace_id)
  await page.getByRole('option', { name: /^Run/ }).first().waitFor()
  await press('Enter')
  await drawer('Run').waitFor()
  await drawer('Run').getByText(events[0]!.run_id).first().waitFor()
  await press('Escape')
  await closed()
  await open('view=log&kind=decision')
  await tabTo('Promotion blocked')
  await press('Enter')
  await drawer('Promotion').waitFor()
  await press('Escape')
  await closed()
  expect(await page.evaluate(focused)).toMatchObject({
    name: 'Promotion blocked',
    isInView: true,
    isMarked: true,
  })
})

test('a group narrows the page, a link to this moment is copied, and updates pause', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const sides = `baseline=${story.candidate}&candidate=${story.regression}`
  await open(`view=place&agent=support-bot&env=prod&${sides}`)
  const groups = page.getByRole('table', { name: 'Difference by task' })
  const task = (await groups.locator('tbody button').first().textContent())!
  await tabTo('Copy a link to this moment')
  await press('Enter')
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('until=20')
  await tabTo(`Only task ${task}`)
  await press('Enter')
  await expect.poll(() => addressOf('task')).toBe(task)
  await page.getByText(`only task ${task}`).waitFor()
  await page.reload()
  await settled(page)
  await tabTo('Pause updates')
  await press('Space')
  expect(await nameOfFocus()).toBe('Go on')
  await press('Space')
  expect(await nameOfFocus()).toBe('Pause updates')
})
