import { readFile, readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../../test/support/browser/browser.ts'
import { fillBoard, fillLedger } from '../../test/support/browser/web_scale.ts'
import { type WebServer, webServer } from '../../test/support/browser/web_server.ts'
import { type Scenario, median, percentile } from '../harness.ts'
import { ROOT } from '../../src/runtime/root.ts'

const ASSETS = new URL('dist/web/assets/', ROOT)

/** What a reader waits for: bytes, first paint on a slow processor, shifts, and keys and clicks on a long ledger. */
export const uiScenario: Scenario = {
  name: 'ui',
  about: 'the web UI in Chromium, from loopback; 300 agents, 10,000 actions',
  run: async ({ quick }, report) => {
    const figure = (what: string, value: number, unit: 'kB' | 'ms' | 'x', atMost: number): void =>
      report({ scenario: 'ui', what, value, unit, target: { atMost } })
    figure('JS and CSS, gzipped', await assetKilobytes(), 'kB', 80)
    const [browser, server] = await Promise.all([launchBrowser(), webServer()])
    try {
      await fillBoard(server, quick ? 10 : 300)
      const { releases } = (await (await fetch(`${server.url}/v1/releases`)).json()) as {
        releases: { release_id: string }[]
      }
      await fillLedger(server, releases[0]!.release_id, quick ? 500 : 10_000)
      const paints: { fcp: number; shift: number }[] = []
      for (let round = 0; round < (quick ? 1 : 9); round++) paints.push(await firstPaint(browser, server))
      figure('first contentful paint, CPU 4 x slower', median(paints.map(({ fcp }) => fcp)), 'ms', 1000)
      figure('cumulative layout shift', Math.max(...paints.map(({ shift }) => shift)), 'x', 0.05)
      for (const [what, value] of Object.entries(await interactions(browser, server)))
        figure(what, value, 'ms', 100)
    } finally {
      await browser.close()
      await server.close()
    }
  },
}

async function assetKilobytes(): Promise<number> {
  const names = (await readdir(ASSETS)).filter(name => /\.(?:js|css)$/.test(name))
  const sizes = await Promise.all(
    names.map(async name => gzipSync(await readFile(new URL(name, ASSETS))).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

/** A first visit with nothing cached. */
async function firstPaint(browser: Browser, { url }: WebServer): Promise<{ fcp: number; shift: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.addInitScript(() => {
    const seen = { fcp: 0, shift: 0 }
    Object.assign(globalThis, { seen })
    new PerformanceObserver(list => {
      for (const entry of list.getEntriesByName('first-contentful-paint')) seen.fcp = entry.startTime
    }).observe({ type: 'paint', buffered: true })
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) seen.shift += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(url)
  await page.locator('tbody tr').first().waitFor()
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate(
    () => (globalThis as unknown as { seen: { fcp: number; shift: number } }).seen,
  )
  await context.close()
  return seen
}

/**
 * From a key or click to the frame that shows it, by the browser's own event timing, and until the answer shows. Of
 * keys the 75th percentile: drawn without a graphics card, one frame in a while waits for nothing of ours.
 */
async function interactions(browser: Browser, { url }: WebServer): Promise<Record<string, number>> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
  await page.addInitScript(() => {
    const keys: number[] = []
    Object.assign(globalThis, { keys })
    new PerformanceObserver(list => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') keys.push(duration)
    }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
  })
  await page.goto(`${url}/?view=log&kind=decision`)
  await page.locator(ROWS).first().waitFor()
  const older = await shownAfter(page, () => page.getByRole('link', { name: 'Older' }).click())
  await page.getByLabel('Agent').fill('agent-7')
  const filter = await shownAfter(page, () => page.keyboard.press('Enter'))
  await page.goto(url)
  await page.locator('tbody tr').first().waitFor()
  const find = page.getByLabel('Find')
  for (const text of ['agent-12', 'agent-29', 'agent-3']) {
    await find.fill('')
    // As fast as people type: keys that come before the last one's frame would be measured waiting.
    await find.pressSequentially(text, { delay: 120 })
  }
  const keys = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys)
  await page.close()
  return {
    'ledger, click to the older rows': older,
    'ledger, filter to its rows': filter,
    'board of 300, key to the next frame, p75': percentile(keys, 0.75),
  }
}

/** Rows of the log. */
const ROWS = '.history li'

/** Time until other rows are on show, measured in the page from the click or key on. */
async function shownAfter(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(rows => {
    const before = document.querySelector(rows)!.textContent
    let actedAt = 0
    for (const type of ['click', 'keydown'])
      addEventListener(type, () => (actedAt = performance.now()), { once: true, capture: true })
    const shown = new Promise<number>(resolve => {
      const observer = new MutationObserver(() => {
        const row = document.querySelector(rows)
        if (actedAt === 0 || row === null || row.textContent === before) return
        observer.disconnect()
        resolve(performance.now() - actedAt)
      })
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    })
    Object.assign(globalThis, { shown })
  }, ROWS)
  await act()
  return page.evaluate(() => (globalThis as unknown as { shown: Promise<number> }).shown)
}
