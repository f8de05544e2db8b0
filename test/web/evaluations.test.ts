import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { axeViolations, openPage, settled } from '../support/browser/web_page.ts'
import { seedEvaluations } from '../support/browser/web_evaluations.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'

let browser: Browser
let server: WebServer
let releases: string[]
let page: Page
let problems: string[]

beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchBrowser(), webServer()])
  releases = await seedEvaluations(server)
  ;({ page, problems } = await openPage(
    browser,
    `${server.url}/?view=place&agent=returns-bot&sheet=evaluations`,
  ))
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const resultsOf = async (name: string): Promise<string[]> => {
  const row = page.getByRole('table', { name: 'Cases by release' }).getByRole('row', { name })
  return row.getByRole('cell').allTextContents()
}

test('a suite over releases, what broke from one to the next, and cases by release', async () => {
  await settled(page)
  await page.getByText('2 newly failing, 0 newly passing, 1 still failing, 2 flaky').waitFor()
  await expect.poll(() => page.getByLabel('Suite').inputValue()).toBe('regression')
  for (const score of ['pass_rate', 'faithfulness']) {
    await expect
      .poll(() =>
        page
          .getByRole('img', { name: `${score} over time` })
          .or(page.getByRole('img', { name: score }))
          .count(),
      )
      .toBe(1)
  }
  const changed = page.getByRole('table', { name: "Cases that changed or don't pass" }).locator('tbody tr')
  await expect.poll(() => changed.first().textContent()).toMatch(/newly failing/)
  await expect.poll(() => changed.allTextContents()).toHaveLength(5)
  expect(await resultsOf('order that was split')).toEqual(['fail', 'pass', 'pass', 'pass', 'pass', 'pass'])
  expect(await resultsOf('refund in Italian')).toEqual(['2/3', 'pass', 'pass', 'pass', 'pass', 'pass'])
  expect(await axeViolations(page)).toEqual([])
})

test('two other releases are compared, by the keyboard, and stand in the address', async () => {
  await page.getByLabel('From').selectOption('1.0.0')
  await page.getByLabel('To', { exact: true }).selectOption('1.3.0')
  await page.getByText('0 newly failing, 3 newly passing, 0 still failing, 0 flaky').waitFor()
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([releases[0], releases[3]])
  // All charts of the page show the release that one of them is moved to.
  const chart = page.getByRole('figure').filter({ hasText: 'pass_rate' })
  await chart.getByRole('img').focus()
  await page.keyboard.press('ArrowLeft')
  await chart.getByText(/^1\.5\.0: mean /).waitFor()
  expect(problems).toEqual([])
})

test('an agent without evaluations is told how they come', async () => {
  await page.goto(`${server.url}/?view=place&agent=nobody&sheet=evaluations`)
  await page.getByText('No evaluation was imported').waitFor()
  expect(await axeViolations(page)).toEqual([])
})
