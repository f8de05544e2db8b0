import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

export interface WatchedPage {
  readonly page: Page
  /** What the page complained of: uncaught errors, and console errors other than answers of the API. */
  readonly problems: string[]
  /** Every URL that was asked for. */
  readonly requested: string[]
}

/** Opens a URL in a context of its own, and keeps note of what goes wrong there. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const [problems, requested]: [string[], string[]] = [[], []]
  page.on('pageerror', error => problems.push(error.message))
  page.on('request', request => requested.push(request.url()))
  page.on('console', message => {
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) problems.push(message.text())
  })
  await page.goto(url)
  return { page, problems, requested }
}

/** Waits until the page shows what it has read. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What breaks WCAG 2.2 AA on the page, by axe; text of each so that a failure says what to mend. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const injected = globalThis as unknown as { axe: { run: (options: unknown) => Promise<unknown> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const report = await injected.axe.run({ runOnly: { type: 'tag', values: tags } })
    return (report as { violations: Violation[] }).violations
  })
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}
