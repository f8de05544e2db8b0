import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import type { Board } from '../../src/models/answers/board.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { artifactOf, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

/** A release of an agent that is live; its id. */
async function live(server: WebServer, agent: string): Promise<string> {
  const artifact = artifactOf(agent, '1.0.0')
  const { release_id } = await server.send('POST /v1/releases', {
    artifact,
    checksum: 'a'.repeat(64),
    environment: 'prod',
  })
  await server.send('POST /v1/promote', { release_id, environment: 'prod', window: '24h', reason: 'first' })
  return release_id
}

/** Registers a release whose price table is not imported. */
async function unpriced({ send }: WebServer, agent: string, version: string): Promise<void> {
  const artifact = artifactOf(agent, version) as { spec: object }
  const spec = { ...artifact.spec, pricing_reference: { provider: 'openai', pricing_version: 'none' } }
  const body = { artifact: { ...artifact, spec }, checksum: 'cd'.repeat(32), environment: 'prod' }
  await send('POST /v1/releases', body)
}

/** Waits until each place has been evaluated, a few with each read: rows that come later are behind those that are there. */
async function evaluated({ url }: WebServer): Promise<void> {
  await expect
    .poll(async () => {
      const { board } = (await (await fetch(`${url}/v1/board`)).json()) as Board
      return board.filter(({ place }) => place.state === null).length
    })
    .toBe(0)
}

async function opened(query: string, shown = {}): Promise<{ page: Page; server: WebServer }> {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  for (const agent of ['a-bot', 'b-bot', 'c-bot']) await live(server, agent)
  await evaluated(server)
  const { page } = await openPage(browser, `${server.url}/${query}`, shown)
  await needs(page).getByText('blocked', { exact: true }).waitFor()
  await settled(page)
  return { page, server }
}

const needs = (page: Page) => page.getByRole('region', { name: 'Needs somebody' })
const rowOf = (page: Page, agent: string) => page.getByRole('row', { name: new RegExp(agent) })
const agents = (page: Page): Promise<string[]> => page.getByRole('rowheader').allTextContents()

test('what needs somebody comes first: whose it is, one reason in words and one verb a row', async () => {
  const { page } = await opened('')
  const rows = needs(page).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(2)
  await expect
    .poll(() => rows.first().textContent())
    .toMatch(/^blockedsupport-bot · prod1\.2\.0 is blocked: .* \(and 2 more\)Open$/)
  expect(await axeViolations(page)).toEqual([])
  await rows.first().getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 1, name: 'support-bot · prod' }).waitFor()
})

test('what comes to need somebody stands behind the others until the reader sorts', async () => {
  const { page, server } = await opened('')
  const states = () => needs(page).locator('.need-state').allTextContents()
  await expect.poll(states).toEqual(['blocked', 'model retires'])
  await unpriced(server, 'a-bot', '2.0.0')
  await expect.poll(states).toEqual(['blocked', 'model retires', 'no price'])
  await needs(page).getByRole('button', { name: '2 changed · sort again' }).click()
  await expect.poll(states).toEqual(['blocked', 'no price', 'model retires'])
})

test('twelve that need somebody are on show, and the others a click away', async () => {
  const { page, server } = await opened('')
  for (let index = 0; index < 12; index++) await unpriced(server, `late-${index}`, '1.0.0')
  await needs(page).getByText('2 more', { exact: true }).click()
  await expect.poll(() => needs(page).getByRole('listitem').count()).toBe(14)
})

test('the whole row of what needs somebody leads to its place', async () => {
  const { page } = await opened('')
  await needs(page)
    .getByRole('listitem')
    .first()
    .click({ position: { x: 600, y: 12 } })
  await page.getByRole('heading', { level: 1, name: 'support-bot · prod' }).waitFor()
})

test('an agent takes one line: what is live where, and what is next in the chosen environment', async () => {
  const { page } = await opened('')
  const row = rowOf(page, 'support-bot')
  await row.getByRole('link', { name: '1.2.0 blocked' }).waitFor()
  await row.getByRole('link', { name: /^1\.1\.0/ }).waitFor()
  expect((await row.boundingBox())!.height).toBeLessThanOrEqual(44)
  expect((await agents(page))[0]).toBe('support-bot')
  await rowOf(page, 'a-bot').getByRole('link', { name: 'a-bot' }).click()
  await page.getByRole('heading', { level: 1, name: 'a-bot · prod' }).waitFor()
})

test('nothing is cut but names, and nothing moves once it is there', async () => {
  const { page, server } = await opened('', { viewport: { width: 1280, height: 800 } })
  await page.evaluate(() => {
    const shifts: number[] = []
    ;(globalThis as { shifts?: number[] }).shifts = shifts
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const order = await agents(page)
  await page.waitForTimeout(3000)
  const shifts = await page.evaluate(() => (globalThis as { shifts?: number[] }).shifts!)
  expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(0.05)
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main *')]
      .filter(
        element =>
          !element.matches('.clip, .hidden, select') && getComputedStyle(element).textOverflow === 'ellipsis',
      )
      .map(element => element.outerHTML.slice(0, 80)),
  )
  expect(cut).toEqual([])
  // A release that comes makes its agent first, when the reader says so.
  await server.send('POST /v1/releases', {
    artifact: artifactOf('c-bot', '2.0.0'),
    checksum: 'b'.repeat(64),
    environment: 'prod',
  })
  await page.getByRole('button', { name: /changed · sort again$/ }).waitFor({ timeout: 20_000 })
  expect(await agents(page)).toEqual(order)
  await page.getByRole('button', { name: /sort again$/ }).click()
  await expect.poll(() => agents(page)).toEqual(['c-bot', 'support-bot', 'a-bot', 'b-bot'])
})

test('what is blocked is red, what lacks runs is amber and folded, and what may go needs nobody', async () => {
  const { page, server } = await opened('')
  await expect
    .poll(() => needs(page).locator('li.bad').allTextContents())
    .toEqual([expect.stringMatching(/^blockedsupport-bot/)])
  await server.send('PUT /v1/policy', { min_candidate_runs: 5000, require_high_diff_confidence: true })
  await page.reload()
  await page.getByText('1 candidate without enough runs').click()
  await expect.poll(() => needs(page).locator('details li.warn').textContent()).toMatch(/^needs runs/)
  await expect.poll(() => rowOf(page, 'support-bot').locator('.board-state.warn').count()).toBe(1)
  await server.send('PUT /v1/policy', { policy_id: 'none', require_high_diff_confidence: false })
  await page.reload()
  await rowOf(page, 'support-bot').getByText('1.2.0 can be promoted').waitFor()
  await expect.poll(() => rowOf(page, 'support-bot').locator('.board-state.ok').count()).toBe(1)
  expect(await needs(page).locator('li.bad').count()).toBe(0)
})

test('the page of the fourth agent is a few keys away', async () => {
  const { page } = await opened('')
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
  await press('Tab', /^a-bot|^support-bot$/)
  await press('ArrowDown', /^c-bot$/)
  expect(keys).toBeLessThanOrEqual(20)
})

test('a name is found by the address too, and an unknown one says so', async () => {
  const { page } = await opened('?find=c-b')
  await expect.poll(() => agents(page)).toEqual(['c-bot'])
  await page.getByLabel('Find').fill('nobody')
  await page.getByText('No agent is like that').waitFor()
})

test.each([
  ['light', 390],
  ['dark', 320],
] as const)('reads well in the %s at %d px', async (colorScheme, width) => {
  const { page } = await opened('', { colorScheme, viewport: { width, height: 800 } })
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  expect(await axeViolations(page)).toEqual([])
})
