import { readdirSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type Page, chromium } from 'playwright-core'
import { expect } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { shared } from '../shared.ts'

export interface WatchedPage {
  readonly page: Page
  /** What the page complained of: uncaught errors, and console errors other than answers of the API. */
  readonly problems: string[]
  /** Every URL that was requested. */
  readonly requested: string[]
}

const pages = new WeakMap<Browser, Promise<Page>>()

/** A connection to the Chromium of this run; closing it closes the pages that it opened. */
export async function connectBrowser(): Promise<Browser> {
  return chromium.connect((await shared('browser')).endpoint)
}

/** How a page is shown, where a test minds. */
export interface Shown {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

const DESKTOP = { width: 1280, height: 720 }

/**
 * Opens a URL in the page that all tests of a browser share, one after the other, and keeps note of what goes wrong
 * there: a page of its own would take a process that has to load everything again. What it has stored, and who listens to
 * it, is forgotten; other states need a page of their own.
 */
export async function openPage(browser: Browser, url: string, shown: Shown = {}): Promise<WatchedPage> {
  const page = await sharedPage(browser)
  const { viewport = DESKTOP, colorScheme = 'light' } = shown
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', forcedColors: 'none' })
  return visit(page, url)
}

/** Opens a URL in a page of its own, for what can't be undone; the caller closes it. */
export async function openOwnPage(browser: Browser, url: string): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  return visit(await context.newPage(), url)
}

async function sharedPage(browser: Browser): Promise<Page> {
  const known = pages.get(browser)
  if (known === undefined) {
    // A context takes more than one page, where a test compares two.
    const opened = browser.newContext().then(context => context.newPage())
    pages.set(browser, opened)
    return opened
  }
  const page = await known
  page.removeAllListeners()
  await page.unrouteAll()
  if (page.url().startsWith('http')) {
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
  }
  // Requests that the page before still loads don't belong to this one.
  await page.goto('about:blank')
  return page
}

async function visit(page: Page, url: string): Promise<WatchedPage> {
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

/** Every rule. */
export const ALL = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
} as const
/** The rules whose answer a narrower screen can change: what is hidden, moves or shrinks there. */
export const OF_LAYOUT = {
  type: 'rule',
  values: [
    'aria-hidden-focus',
    'bypass',
    'button-name',
    'color-contrast',
    'landmark-unique',
    'link-in-text-block',
    'link-name',
    'region',
    'scrollable-region-focusable',
    'target-size',
  ],
} as const
/** The rules that look at colours: all that another theme can break. */
export const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const

export type AxeRules = typeof ALL | typeof OF_LAYOUT | typeof OF_COLOURS

/** What breaks WCAG 2.2 AA on the page, by axe; text of each so that a failure says what to mend. */
export async function axeViolations(page: Page, runOnly: AxeRules = ALL): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async rules => {
    const injected = globalThis as unknown as { axe: { run: (options: unknown) => Promise<unknown> } }
    const report = await injected.axe.run({ runOnly: rules, resultTypes: ['violations'] })
    return (report as { violations: Violation[] }).violations
  }, runOnly)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}

/** The built files of the pages. */
export const ASSETS = `${ROOT_PATH}/dist/web/assets`

/** How many scripts of the pages are loaded ahead: all. */
export function scriptsAhead(): number {
  return readdirSync(ASSETS).filter(name => name.endsWith('.js')).length
}

/** Waits until a page has loaded the code of all of them. */
export async function loadedAhead(page: Page): Promise<void> {
  await page.waitForFunction(
    count =>
      performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).length >= count,
    scriptsAhead(),
  )
}
