import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { artifactOf, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

/** A release of an agent that is live; its id. */
async function live(server: WebServer, agent: string): Promise<string> {
  const release = (version: string) => ({
    artifact: artifactOf(agent, version),
    checksum: 'a'.repeat(64),
    environment: 'prod',
  })
  const { release_id } = await server.send('POST /v1/releases', release('1.0.0'))
  await promote(server, release_id)
  return release_id
}

const promote = ({ send }: WebServer, release_id: string) =>
  send('POST /v1/promote', { release_id, environment: 'prod', window: '24h', reason: 'first' })

async function opened(
  query: string,
  shown = {},
): Promise<{ page: Page; server: WebServer; ids: ReadonlyMap<string, string> }> {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  const ids = new Map<string, string>()
  for (const agent of ['a-bot', 'b-bot', 'c-bot']) ids.set(agent, await live(server, agent))
  const { page } = await openPage(browser, `${server.url}/${query}`, shown)
  await settled(page)
  return { page, server, ids }
}

const rowOf = (page: Page, agent: string) => page.getByRole('row', { name: new RegExp(agent) })
const agents = (page: Page): Promise<string[]> => page.getByRole('rowheader').allTextContents()

test('an agent takes one line, and opens to its details and actions by the keyboard', async () => {
  const { page } = await opened('')
  await page.mouse.move(0, 0)
  const row = rowOf(page, 'support-bot')
  await row.getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  expect((await row.boundingBox())!.height).toBeLessThanOrEqual(44)
  await expect.poll(() => row.getByRole('button', { name: 'Roll back…' }).count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await row.getByRole('button', { name: 'Details of support-bot' }).focus()
  await page.keyboard.press('Enter')
  await row.getByText(/^1\.2\.0 is blocked: .* \(and 2 more\)/).waitFor()
  await row.getByRole('button', { name: 'Roll back…' }).waitFor()
  // What the policy blocks is not offered.
  expect(await row.getByRole('button', { name: 'Promote…' }).count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(() => row.getByText(/^1\.2\.0 is blocked: .* \(and 2 more\)/).count()).toBe(0)
})

test('what can be decided appears under the pointer and with the focus, and the row keeps its height', async () => {
  const { page } = await opened('')
  await page.mouse.move(0, 0)
  const row = rowOf(page, 'support-bot')
  const button = row.getByRole('button', { name: 'Roll back… support-bot, prod' })
  await row.getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  await expect.poll(() => button.count()).toBe(0)
  await row.hover()
  await button.waitFor()
  expect((await row.boundingBox())!.height).toBeLessThanOrEqual(44)
  expect(await axeViolations(page)).toEqual([])
  await page.mouse.move(0, 0)
  await expect.poll(() => button.count()).toBe(0)
  await row.getByRole('button', { name: 'Details of support-bot' }).focus()
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Roll back: support-bot · prod' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => button.evaluate(element => element === document.activeElement)).toBe(true)
})

test('the promotion of the fourth agent is a few keys away', async () => {
  const { page } = await opened('')
  await rowOf(page, 'support-bot').getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  const nameOf = (): Promise<string> =>
    page.evaluate(() => document.activeElement!.ariaLabel ?? document.activeElement!.textContent)
  let keys = 0
  async function press(key: string, wanted: RegExp): Promise<void> {
    do {
      await page.keyboard.press(key)
      keys += 1
    } while (!wanted.test(await nameOf()) && keys < 40)
  }
  await press('Tab', /^Skip to the page$/)
  await page.keyboard.press('Enter')
  await press('Tab', /^Details of /)
  await press('ArrowDown', /^Details of c-bot$/)
  await press('Tab', /^Roll back… c-bot, prod$/)
  expect(keys).toBeLessThanOrEqual(20)
})

test('what is next and blocked comes first, and an old block of what is live is no matter', async () => {
  const { page, server, ids } = await opened('')
  await rowOf(page, 'support-bot').getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  expect((await agents(page))[0]).toBe('support-bot')
  // What is live is also the newest, so nothing is asked.
  await promote(server, ids.get('c-bot')!)
  await page.goto(`${server.url}/?only=attention`)
  await rowOf(page, 'support-bot')
    .getByText(/^1\.2\.0 is blocked/)
    .waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
})

test.each([
  ['light', 390],
  ['dark', 320],
] as const)('reads well in the %s at %d px', async (colorScheme, width) => {
  const { page } = await opened('', { colorScheme, viewport: { width, height: 800 } })
  await rowOf(page, 'support-bot').getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(await axeViolations(page)).toEqual([])
})
