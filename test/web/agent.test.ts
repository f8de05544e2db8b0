import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OF_COLOURS, axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { BEGINS, tellRollouts } from '../support/browser/web_rollouts.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { type Story, tellStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let story: Story

beforeAll(async () => {
  browser = await connectBrowser()
  server = await webServer()
  story = await tellStory(server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const ADDRESS = 'view=agent&agent=support-bot'

async function openAgent(more = ''): Promise<Page> {
  const { page, problems } = await openPage(browser, `${server.url}/?${ADDRESS}${more}`)
  await page.locator('path.series, circle.series-dot').first().waitFor()
  await settled(page)
  expect(problems).toEqual([])
  return page
}

test('shows what was live, one sentence, how it ran, and what happened; in the dark and on a phone too', async () => {
  const page = await openAgent()
  const lane = page.getByRole('img', { name: /^prod: 1\.0\.0 from .*, 1\.1\.0 from .* on$/ })
  await lane.waitFor()
  await expect.poll(() => lane.locator('.stay').count()).toBe(2)
  await expect.poll(() => lane.locator('.tick.blocked').count()).toBe(1)
  await page.getByText(/^1\.2\.0 is blocked: .* \(and 2 more\)$/).waitFor()
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await verdict.getByText('Blocked by policy: 3 reasons').waitFor()
  await expect
    .poll(() => page.getByRole('button', { name: 'Record an attempt…' }).getAttribute('class'))
    .not.toContain('primary')
  for (const title of ['Cost per run', 'Latency, mean', 'Error rate', 'Tokens per run']) {
    const legend = page.locator('figure', { hasText: title }).locator('.legend')
    // A limit far above is named at the edge. How far it is, differs by the hour: buckets begin with the hours of the clock.
    const limit = title === 'Tokens per run' ? '' : '(limit|limit .*, above ↑)'
    await expect.poll(() => legend.textContent()).toMatch(new RegExp(`^1\\.2\\.01\\.1\\.01\\.0\\.0${limit}$`))
  }
  const happened = page.getByRole('table', { name: 'What happened' })
  await happened.getByRole('link', { name: 'promotion blocked, by bob' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeViolations(page)).toEqual([])
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(widths[0]).toBeLessThanOrEqual(widths[1]!)
})

test('arrow keys choose the window of everything, and the address has it', async () => {
  const page = await openAgent()
  const window = page.getByRole('slider', { name: 'Window of this page' })
  await window.focus()
  await page.keyboard.press('ArrowLeft')
  await page.getByText(', 1 d').waitFor()
  const { searchParams } = new URL(page.url())
  const chosen = Date.parse(searchParams.get('to')!) - Date.parse(searchParams.get('from')!)
  expect(chosen).toBe(24 * 3_600_000)
  await page.keyboard.press('Shift+ArrowRight')
  await page.getByText(', 12 h').waitFor()
  // The first promotion was three days ago.
  await expect.poll(() => page.getByRole('row', { name: /promotion passed/ }).count()).toBe(1)
  await page.keyboard.press('Shift+ArrowLeft')
  for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowLeft')
  await page.getByText('No runs in this window.').waitFor()
  await page.reload()
  await page.getByText('No runs in this window.').waitFor()
  await page.getByRole('button', { name: 'Show 14 days' }).click()
  await expect.poll(() => page.getByRole('row', { name: /promotion (?:passed|first)/ }).count()).toBe(2)
  expect(await axeViolations(page)).toEqual([])
})

test('a window is dragged over the lanes; the diff that it links to is of that window', async () => {
  const page = await openAgent()
  const { x, y, width } = (await page.locator('.lanes').boundingBox())!
  await page.mouse.move(x + width * 0.93, y + 20)
  await page.mouse.down()
  await page.mouse.move(x + width - 1, y + 20, { steps: 4 })
  await page.mouse.up()
  await page.getByRole('button', { name: 'Show 14 days' }).waitFor()
  const { searchParams } = new URL(page.url())
  const [from, to] = [searchParams.get('from')!, searchParams.get('to')!]
  const minutes = (Date.parse(to) - Date.parse(from)) / 60_000
  expect(minutes).toBeGreaterThan(20 * 60)
  expect(minutes).toBeLessThan(26 * 60)
  await page.getByRole('link', { name: 'See the diff' }).click()
  await page.getByText(/As of/).waitFor()
  const diff = new URL(page.url()).searchParams
  expect(diff.get('window')).toBe(`${minutes}m`)
  expect(Date.parse(diff.get('until')!)).toBe(Date.parse(to))
  await page.getByRole('link', { name: "The agent's page" }).click()
  await page.getByRole('slider', { name: 'Window of this page' }).waitFor()
})

test('decides from the page: the dialog is of the release that is shown', async () => {
  const page = await openAgent()
  await page.getByRole('button', { name: 'Record an attempt…' }).click()
  await page.getByRole('dialog').getByText('With', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('decide_release')).toBe(story.regression)
  await page.keyboard.press('Escape')
  await page.getByRole('slider', { name: 'Window of this page' }).waitFor()
})

test('a rollout is a ramp on the lane, and a line of what happened that leads to it', async () => {
  const split = await webServer(BEGINS)
  const { cast } = await tellRollouts(split)
  const { page } = await openPage(browser, `${split.url}/?view=agent&agent=${cast[0]!.agent}`)
  await page.locator('.ramp-step').first().waitFor({ state: 'attached' })
  await page.getByRole('link', { name: /^1\.3\.0 gets 10 % of the sessions/ }).click()
  await page.getByRole('heading', { name: /Rollout of/ }).waitFor()
  await split.close()
})
