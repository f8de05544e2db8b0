import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OF_COLOURS, axeViolations, connectBrowser, openPage } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer

beforeAll(async () => {
  browser = await connectBrowser()
  server = await webServer()
  await runStory(server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

test('a decision is decided again, limit by limit, and by another policy, with the keyboard alone', async () => {
  await server.send('PUT /v1/policy', { policy_id: 'lax', max_latency_ms: 60_000 })
  const answer = await fetch(`${server.url}/v1/actions?agent=support-bot&limit=1`)
  const [{ action_id }] = ((await answer.json()) as { actions: [{ action_id: string }] }).actions
  const { page, problems } = await openPage(browser, `${server.url}/?view=log&action=${action_id}`)
  const drawer = page.getByRole('dialog')
  const row = (name: string) =>
    drawer.getByRole('table', { name: 'Limits' }).getByRole('row').filter({ hasText: name })
  await drawer.getByText('as on record').waitFor()
  await expect.poll(() => row('Cost per run').textContent()).toMatch(/\$0\.01\d+, limit \$0\.008000beyond/)
  await expect.poll(() => row('Cost per run').locator('.limit-line, .range-dot').count()).toBe(2)
  expect(await axeViolations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeViolations(page)).toEqual([])

  await drawer.getByLabel('Decide again by').focus()
  await page.keyboard.type('the policy in force')
  await drawer.getByText('on record: blocked').waitFor()
  await drawer.locator('[role=status]', { hasText: 'passed' }).waitFor()
  await expect.poll(() => row('Cost per run').count()).toBe(0)
  await expect.poll(() => row('Latency, mean').textContent()).toMatch(/limit 60,000 mswithin/)
  await drawer.getByLabel('Decide again by').selectOption('the policy of the record')
  await drawer.locator('[role=status]', { hasText: 'blocked as on record' }).waitFor()
  expect(problems).toEqual([])
})
