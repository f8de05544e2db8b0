import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openOwnPage, openPage, settled } from '../support/browser/web_page.ts'
import { webServer } from '../support/browser/web_server.ts'
import { storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

describe('addresses', () => {
  test('hold the state of the page, and Back goes back in it', async () => {
    const { server, story } = await storyServer()
    onTestFinished(() => server.close())
    const { baseline, candidate, regression } = story
    const { page } = await openPage(browser, `${server.url}/?view=place&agent=support-bot`)
    await expect.poll(() => page.getByLabel('Candidate').inputValue()).toBe(regression)
    await expect.poll(() => page.getByLabel('Baseline').inputValue()).toBe(candidate)
    await page.getByLabel('Window').selectOption('7d')
    await expect.poll(() => new URL(page.url()).searchParams.get('window')).toBe('7d')
    await page.goBack()
    await expect.poll(() => new URL(page.url()).searchParams.get('window')).toBe(null)
    await page.reload()
    await expect.poll(() => page.getByLabel('Window').inputValue()).toBe('24h')
    await page.getByLabel('Baseline').selectOption(baseline)
    await page.getByText('Back to what is next').waitFor()
    await page.goto(`${server.url}/?view=place&agent=support-bot&window=7w`)
    await page.getByText('Invalid window "7w"').first().waitFor()
  })

  test('that name an unknown page say so, and each page names its place in the title', async () => {
    const { server } = await storyServer()
    onTestFinished(() => server.close())
    const { page } = await openPage(browser, `${server.url}/?view=nonsense`)
    await page.getByText('Unknown page “nonsense”: this is the board.').waitFor()
    await page
      .getByRole('row', { name: /support-bot/ })
      .getByRole('link', { name: 'support-bot' })
      .click()
    await expect.poll(() => page.title()).toBe('support-bot in prod · Release governance')
    await expect.poll(() => page.getByText('Unknown page').count()).toBe(0)
    await page.getByRole('link', { name: 'Board' }).click()
    await expect.poll(() => page.title()).toBe('Board · Release governance')
  })

  test('work under a prefix that the service knows nothing of', async () => {
    const { server } = await storyServer()
    onTestFinished(() => server.close())
    const proxy = createServer((incoming, outgoing) => {
      const path = incoming.url!.replace(/^\/tools\/releases(?=\/)/, '')
      if (path === incoming.url) {
        outgoing.writeHead(404).end()
        return
      }
      const { host: _host, ...headers } = incoming.headers
      // A connection of its own: one that is kept may be closed just then.
      const options = { method: incoming.method!, headers, agent: false }
      const forwarded = httpRequest(`${server.url}${path}`, options, answer => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      })
      // The page asks on while the test ends.
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
    })
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools/releases/`
    const { page, problems, requested } = await openPage(browser, `${base}?view=log`)
    await page.getByText('nicer answers').waitFor()
    await page.getByRole('link', { name: 'Board' }).click()
    await page.getByText(/^1\.2\.0 is blocked/).waitFor()
    await page.reload()
    await page.getByText(/^1\.2\.0 is blocked/).waitFor()
    expect(requested.filter(url => !url.startsWith(base))).toEqual([])
    expect(problems).toEqual([])
  })
})

test('nothing is read while the tab is hidden, and at once when it is back', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page } = await openOwnPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  await page.clock.install()
  let reads = 0
  // The beat alone, without what a stream says.
  await page.route('**/v1/stream', route => route.fulfill({ status: 501, json: { detail: 'polled' } }))
  await page.route('**/v1/board', route => {
    reads += 1
    return route.continue()
  })
  await page.goto(server.url)
  await page.getByText('No releases yet').waitFor()
  const hide = (hidden: boolean): Promise<void> =>
    page.evaluate(state => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: state })
      document.dispatchEvent(new Event('visibilitychange'))
    }, hidden)
  await page.clock.runFor(16_000)
  await expect.poll(() => reads).toBe(2)
  await hide(true)
  await page.clock.runFor(120_000)
  expect(reads).toBe(2)
  await hide(false)
  await expect.poll(() => reads).toBe(3)
})

test('keys go to pages, / to the search, ? tells them, and they can be switched off', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, server.url)
  await settled(page)
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { name: 'Log', level: 1 }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  await page.keyboard.press('/')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role'))
  await expect.poll(focused).toBe('combobox')
  await page.keyboard.press('Escape')
  await page.locator('#main').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.getByLabel('Single-key shortcuts are on').uncheck()
  await page.keyboard.press('Escape')
  await page.locator('#main').focus()
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Log')
})
