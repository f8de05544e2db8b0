import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../src/base/time.ts'
import { openPage, connectBrowser } from '../support/browser/web_page.ts'
import { webServer } from '../support/browser/web_server.ts'
import { headerOf, linesOf } from '../support/aggregates/aggregates.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

test('the board names a source of aggregates that is behind, and not one that is not', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const minute = Math.floor(Date.now() / 60_000) * 60_000
  for (const header of [
    headerOf(now - 4 * HOUR_MS, now - 2 * HOUR_MS, { source: 'late' }),
    headerOf(now - HOUR_MS, minute, { source: 'current', as_of: isoTime(minute) }),
  ]) {
    const headers = { 'content-type': 'application/x-ndjson' }
    const answer = await fetch(`${server.url}/v1/aggregates`, {
      method: 'POST',
      headers,
      body: linesOf(header, []),
    })
    expect(answer.status).toBe(200)
  }
  const { page } = await openPage(browser, server.url)
  await page.getByText('The aggregates of late reach to').waitFor()
  await expect.poll(() => page.getByText('The aggregates of').count()).toBe(1)
})
