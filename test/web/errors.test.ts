import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OF_COLOURS, axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { type Story, runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let story: Story

beforeAll(async () => {
  browser = await connectBrowser()
  server = await webServer()
  story = await runStory(server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

test('errors are counted by type, a new one is marked, and its runs are a link away', async () => {
  const event = {
    api_version: 'v1',
    type: 'run_end',
    run_id: 'odd-one',
    release_id: story.regression,
    agent_id: 'support-bot',
    environment: 'prod',
    tenant_id: 'contoso',
    task_id: 'returns',
    timestamp: new Date(Date.now() - 60_000).toISOString(),
    metrics: { success: false, latency_ms: 4321, error_type: 'schema_mismatch' },
    usage: {
      model: {
        provider: 'openai',
        model: 'gpt-4.1',
        input_tokens: 10,
        output_tokens: 5,
        cached_input_tokens: 0,
      },
    },
  }
  expect(await server.send('POST /v1/events', { events: [event] })).toMatchObject({ inserted: 1 })
  const { candidate, regression } = story
  const query = `view=place&agent=support-bot&env=prod&baseline=${candidate}&candidate=${regression}&by=error`
  const { page, problems } = await openPage(browser, `${server.url}/?${query}`)
  const table = page.getByRole('table', { name: 'Errors by type' })
  const row = table.getByRole('row', { name: /schema_mismatch/ })
  await row.waitFor()
  await expect
    .poll(() => row.getByRole('cell').allTextContents())
    .toEqual(['schema_mismatch new', '0.0 (0)', '1.5 (1)', '+1.5'])
  await table
    .getByRole('row', { name: /timeout|tool_error/ })
    .first()
    .waitFor()
  await expect.poll(() => table.getByText('(no error)').count()).toBe(0)
  await page.getByText('Percentiles of the latency').click()
  await page.getByRole('row', { name: /^p99 [\d,]+ ms/ }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeViolations(page)).toEqual([])

  await row.getByRole('link', { name: '1 runs with schema_mismatch' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('1 run matches, showing 1 to 1').waitFor()
  await expect.poll(() => page.getByLabel('Error type').inputValue()).toBe('schema_mismatch')
  expect(problems).toEqual([])
})

test('runs are filtered by outcome and latency, in the address', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=runs&release=${story.regression}&env=prod`)
  await settled(page)
  const said = async (): Promise<number> =>
    Number(/^(\d+) runs? match/.exec((await page.locator('.summary').first().textContent())!)?.[1])
  const all = await said()
  await page.getByLabel('Outcome').selectOption('failed')
  await expect.poll(said).toBeLessThan(all / 5)
  const failed = await said()
  await page.getByLabel('Latency from, ms').fill('2500')
  await page.keyboard.press('Enter')
  await expect.poll(said).toBeLessThan(failed)
  await page.getByLabel('Outcome').selectOption('')
  await expect.poll(said).toBeGreaterThan(failed)
  expect(new URL(page.url()).searchParams.get('slow')).toBe('2500')
  expect(await axeViolations(page)).toEqual([])
})
