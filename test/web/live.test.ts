import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectBrowser, openOwnPage, openPage, settled } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { type Story, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function opened(): Promise<{ server: WebServer; story: Story }> {
  const { server, story } = await storyServer()
  onTestFinished(() => server.close())
  return { server, story }
}

const row = (page: Page) => page.getByRole('row', { name: /support-bot/ })

const backTo = (server: WebServer, release_id: string) =>
  server.send('POST /v1/rollback', { release_id, environment: 'prod', window: '24h', reason: 'back' })

test('what somebody else decides shows at once, and is marked', async () => {
  const { server, story } = await opened()
  const { page, problems } = await openPage(browser, 'about:blank')
  const streams = page.waitForResponse(response => response.url().endsWith('/v1/stream'))
  await page.goto(server.url)
  await settled(page)
  expect((await streams).status()).toBe(200)
  const fresh = page.locator('.board-row.fresh').waitFor({ timeout: 10_000 })
  // Read by the beat it would take 15 s.
  await backTo(server, story.baseline)
  await row(page)
    .getByRole('link', { name: /^1\.0\.0/ })
    .waitFor({ timeout: 10_000 })
  await fresh
  await expect.poll(() => page.locator('.board-row.fresh').count()).toBe(0)
  expect(problems).toEqual([])
})

test('what changes after the page was read and before its stream opens shows too', async () => {
  const { server, story } = await opened()
  const { page } = await openOwnPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  const changed = Promise.withResolvers<void>()
  await page.route('**/v1/stream', async route => {
    await changed.promise
    await route.continue()
  })
  await page.goto(server.url)
  await settled(page)
  await backTo(server, story.baseline)
  changed.resolve()
  // Read by the beat of a page with a stream it would take two minutes.
  await row(page)
    .getByRole('link', { name: /^1\.0\.0/ })
    .waitFor({ timeout: 10_000 })
})

test('ten windows share one stream, and each shows at once what somebody else decides', async () => {
  const { server, story } = await opened()
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  let streams = 0
  context.on('request', request => {
    if (request.url().endsWith('/v1/stream')) streams += 1
  })
  const windows: Page[] = []
  for (let window = 0; window < 10; window++) {
    const page = await context.newPage()
    windows.push(page)
    await page.goto(server.url)
    await row(page).waitFor({ timeout: 10_000 })
  }
  // Each has had the time to open one.
  await windows.at(-1)!.waitForTimeout(2500)
  expect(streams).toBe(1)
  await backTo(server, story.baseline)
  for (const page of windows) {
    await row(page)
      .getByRole('link', { name: /^1\.0\.0/ })
      .waitFor({ timeout: 10_000 })
  }
  // Another window takes over where the one that reads is closed.
  await windows[0]!.close()
  await expect.poll(() => streams, { timeout: 10_000 }).toBe(2)
})

test('a service without streams is read on a beat, and not asked for one again', async () => {
  const { server, story } = await opened()
  const { page } = await openOwnPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  let wanted = 0
  await page.clock.install()
  await page.route('**/v1/stream', route => {
    wanted += 1
    return route.fulfill({ status: 501, json: { detail: 'none' } })
  })
  await page.goto(server.url)
  await settled(page)
  await page.clock.runFor(5000)
  await backTo(server, story.baseline)
  await page.clock.runFor(20_000)
  await row(page)
    .getByRole('link', { name: /^1\.0\.0/ })
    .waitFor()
  await page.clock.runFor(300_000)
  expect(wanted).toBe(1)
})

test('what has not changed is not sent again', async () => {
  const { server } = await opened()
  const { page } = await openOwnPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  const answers: number[] = []
  page.on('response', response => {
    if (response.url().endsWith('/v1/board')) answers.push(response.status())
  })
  await page.clock.install()
  await page.route('**/v1/stream', route => route.fulfill({ status: 501, json: { detail: 'none' } }))
  await page.goto(server.url)
  await settled(page)
  await page.clock.runFor(16_000)
  await expect.poll(() => answers).toEqual([200, 304])
  await row(page)
    .getByRole('link', { name: /^1\.1\.0/ })
    .waitFor()
})

test('the health page says which live release sends no runs any more, and where to look for what failed', async () => {
  const { server } = await opened()
  const { page, problems } = await openPage(browser, server.url)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText(/^All well, \d warnings$/).waitFor()
  await page.getByText('Runs arrive of 1 live release.').waitFor()
  server.clock.behindMs = -30 * 3_600_000
  await page.reload()
  const silent = page.getByRole('table', { name: 'Live releases to look at' }).getByRole('row').last()
  await expect.poll(() => silent.textContent()).toMatch(/^support-botprod00no runs for a day$/)
  expect(problems).toEqual([])
})
