import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fleet, tellOfSlowReturns } from '../support/browser/web_fleet.ts'
import { axeViolations, openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'

let browser: Browser
let server: WebServer
let fleet: Fleet

beforeAll(async () => {
  ;[browser, server] = await Promise.all([connectBrowser(), webServer()])
  fleet = await tellOfSlowReturns(server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

async function openDiff(more = ''): Promise<Page> {
  const query = `view=diff&agent=returns-desk&env=prod&baseline=${fleet.before}&candidate=${fleet.after}${more}`
  const { page } = await openPage(browser, `${server.url}/?${query}`)
  await settled(page)
  return page
}

describe('the verdict', () => {
  test('says in two lines that the policy passes and that it is worse, by how much and for whom', async () => {
    const page = await openDiff()
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await verdict.getByText('Passes the policy').waitFor()
    await verdict
      .getByRole('heading', { name: /^Worse: latency \+\d+ % \(\+\d+ to \+\d+\), mostly task returns$/ })
      .waitFor()
    await expect.poll(() => verdict.getAttribute('class')).toContain('warn')
    await expect.poll(() => verdict.textContent()).toMatch(/cost [+−]?0\.0 %.*no difference/)
    await verdict.getByText('enough runs (confidence HIGH)').waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('filters everything on the page by the one who is hit', async () => {
    const page = await openDiff()
    const latency = page.getByRole('region', { name: 'Latency, mean' })
    const before = await latency.textContent()
    await page.getByRole('region', { name: 'Verdict' }).getByRole('link', { name: 'returns' }).first().click()
    await expect.poll(() => latency.textContent()).not.toBe(before)
    expect(new URL(page.url()).searchParams.get('task')).toBe('returns')
    const tile = Number(/candidate ([\d,]+) ms/.exec((await latency.textContent())!)![1]!.replace(',', ''))
    const chart = page.locator('figure', { hasText: 'Latency, mean' })
    await chart.getByText('Numbers').click()
    const shown = await chart.locator('tbody td:last-child').allTextContents()
    const values = shown.map(text => Number(text.replace(/ \(.*/, '').replace(/\D/g, '')))
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    expect(Math.abs(mean / tile - 1)).toBeLessThan(0.15)
  })
})

test('"where it is" ranks tasks and tenants, worst first, and a click filters', async () => {
  const page = await openDiff()
  const table = page.getByRole('table', { name: 'Difference by task' })
  const first = table.locator('tbody tr').first()
  await expect
    .poll(() => first.textContent())
    .toMatch(/^returns.*134 → 134.*ms → [\d,]+ ms.*\+[\d,]+ ms.*(?:9\d|100) %/)
  await page.getByRole('button', { name: 'Tenant', exact: true }).click()
  const tenants = page.getByRole('table', { name: 'Difference by tenant' })
  await tenants.getByRole('link', { name: 'globex' }).click()
  await page.getByRole('table', { name: 'Difference by task' }).waitFor()
  expect(new URL(page.url()).searchParams.get('tenant')).toBe('globex')
  await page.getByText('100 candidate runs against 100').waitFor()
})

test('"what changed" shows settings, tools, files and lines side by side', async () => {
  const page = await openDiff()
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
})

test('percentiles stand beside the mean', async () => {
  const page = await openDiff()
  const row = page.getByRole('row', { name: /^p95/ })
  await expect.poll(() => row.textContent()).toMatch(/p95[\d,]+ ms[\d,]+ ms\+[\d,]+ ms \(\+/)
})

test('charts share one cursor, which the keyboard moves too', async () => {
  const page = await openDiff('&window=7d')
  const charts = page.locator('figure')
  await charts.nth(0).locator('svg').focus()
  await page.keyboard.press('ArrowRight')
  const at = async (index: number): Promise<string> =>
    (await charts.nth(index).locator('figcaption').textContent())!.match(/\d\d-\d\d \d\d:\d\d/)?.[0] ?? ''
  await expect.poll(() => at(0)).not.toBe('')
  const first = await at(0)
  for (const index of [1, 2, 3]) expect(await at(index)).toBe(first)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => at(2)).not.toBe(first)
})

test('single runs are drawn by cost and latency, with percentiles and numbers', async () => {
  const page = await openDiff('&spread=open')
  const chart = page.locator('figure', { hasText: 'Latency of single runs' })
  await chart.locator('path.series.candidate').waitFor()
  await expect.poll(() => chart.locator('line.mark.candidate').count()).toBe(4)
  await chart.getByText('Numbers').click()
  const shares = async (side: number): Promise<number> => {
    const cells = await chart.locator(`tbody td:nth-of-type(${side})`).allTextContents()
    return cells.reduce((sum, text) => sum + Number.parseFloat(text), 0)
  }
  expect(Math.abs((await shares(1)) - 100)).toBeLessThan(1.5)
  expect(Math.abs((await shares(2)) - 100)).toBeLessThan(1.5)
  await chart
    .locator('.numbers')
    .getByText(/p95 of the candidate: 3,\d{3} ms/)
    .waitFor()
  await chart.locator('svg').focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => chart.locator('figcaption').textContent()).toMatch(/0 ms: baseline 0\.0 %/)
  await page.locator('figure', { hasText: 'Cost of single runs' }).locator('path.series.candidate').waitFor()
  expect(await axeViolations(page)).toEqual([])
})

test('a limit that is far off is named at the edge, and the data keeps its scale', async () => {
  const page = await openDiff()
  const chart = page.locator('figure', { hasText: 'Latency, mean' })
  await chart.getByText('limit 10,000 ms, above').waitFor()
  await expect.poll(() => chart.locator('line.limit').count()).toBe(0)
})

describe('a link to a moment', () => {
  test('shows that moment, whenever it is opened', async () => {
    const page = await openDiff()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy link to this moment' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
    expect(link.searchParams.get('until')).toMatch(/^\d{4}-.*Z$/)
    await page.goto(link.href)
    await page.getByText('As of').waitFor()
    await page.getByText('400 candidate runs against 400').waitFor()
    link.searchParams.set('until', new Date(Date.now() - 10 * 3_600_000).toISOString())
    await page.goto(link.href)
    await page.getByText(/20\d candidate runs against 20\d/).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Show the present' }).click()
    await page.getByText('400 candidate runs against 400').waitFor()
  })

  test('is in the evidence of a decision', async () => {
    const body = { release_id: fleet.after, environment: 'prod', window: '24h', reason: 'faster refunds' }
    const { action_id } = await server.send('POST /v1/promote', { ...body, actor: 'ann' })
    const { page } = await openPage(browser, `${server.url}/?view=ledger&action=${action_id}`)
    await page.getByRole('link', { name: 'The diff of that moment' }).click()
    await page.getByText('400 candidate runs against 400').waitFor()
    expect(new URL(page.url()).searchParams.get('until')).not.toBeNull()
  })
})
