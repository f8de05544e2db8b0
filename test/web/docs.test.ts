import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OF_COLOURS, axeViolations, openPage, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'

let browser: Browser
let server: WebServer
let page: Page
let problems: string[]
let requested: string[]

/** One page for all: it takes seconds to draw every operation. */
beforeAll(async () => {
  ;[browser, server] = await Promise.all([connectBrowser(), webServer()])
  ;({ page, problems, requested } = await openPage(browser, `${server.url}/docs`))
  await page.locator('.opblock').first().waitFor()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe('the documentation page', () => {
  test('lists every operation, asks no other host, and breaks no rule of its own', async () => {
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, object>
    }
    const operations = Object.values(paths).flatMap(methods => Object.keys(methods)).length
    await expect.poll(() => page.locator('.opblock').count()).toBe(operations)
    expect(requested.filter(url => !url.startsWith(server.url) && !url.startsWith('data:'))).toEqual([])
    expect(problems).toEqual([])
    expect(await axeViolations(page)).toEqual([])
  })

  test('lists them before the viewer has started', async () => {
    const html = await (await fetch(`${server.url}/docs`)).text()
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; tags: string[]; summary: string }>>
    }
    for (const [path, methods] of Object.entries(paths)) {
      for (const { operationId, tags } of Object.values(methods)) {
        expect(html).toContain(`href="#/${tags[0]}/${operationId}"`)
      }
      expect(html).toContain(`<code>${path}</code>`)
    }
    const context = await browser.newContext({ javaScriptEnabled: false })
    const still = await context.newPage()
    await still.goto(`${server.url}/docs`)
    await expect
      .poll(() => still.getByRole('link', { name: 'POST /v1/promote', exact: true }).isVisible())
      .toBe(true)
    await context.close()
    // Nothing but its own small files is read before it is drawn.
    expect(html.match(/(?:src|href)="docs\/[^"]+"/g)).toEqual(['href="docs/docs.css"', 'src="docs/docs.js"'])
    await expect.poll(() => page.locator('#overview').count()).toBe(0)
  })

  test('follows the colours of the system', async () => {
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(background).not.toBe(light)
    // Links pass through colours in between.
    await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0)
    expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  })

  test('sends a request from the page and shows what comes back', async () => {
    const block = page.locator('.opblock', { hasText: '/health' }).first()
    await block.locator('.opblock-summary').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    await block.getByRole('button', { name: 'Execute' }).click()
    await block.locator('.live-responses-table').waitFor()
    await expect.poll(() => block.locator('.live-responses-table').textContent()).toContain('mutation_auth')
  })
})
