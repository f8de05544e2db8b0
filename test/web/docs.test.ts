import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assetServer } from '../../src/runtime/node/assets.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { axeViolations } from '../support/browser/web_page.ts'
import { type SocketService, socketService } from '../support/services/socket.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

interface Visit {
  readonly page: Page
  readonly service: SocketService
  readonly requested: string[]
  readonly problems: string[]
}

/** Opens the docs of a new service and waits for the operations to be there. */
async function visitDocs(colorScheme: 'light' | 'dark'): Promise<Visit> {
  const service = await socketService({ assets: assetServer() })
  const page = await browser.newPage({ colorScheme })
  const requested: string[] = []
  const problems: string[] = []
  page.on('request', request => requested.push(request.url()))
  page.on('console', message => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', error => problems.push(error.message))
  await page.goto(`${service.url}/docs`)
  await page.locator('.opblock').first().waitFor()
  return { page, service, requested, problems }
}

describe('the documentation page', () => {
  test('lists every operation, asks no other host, and breaks no rule of its own', async () => {
    const { page, service, requested, problems } = await visitDocs('light')
    const { paths } = (await service.call('GET /openapi.json')).body as { paths: Record<string, object> }
    const operations = Object.values(paths).flatMap(methods => Object.keys(methods)).length
    expect(await page.locator('.opblock').count()).toBe(operations)
    expect(requested.filter(url => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([])
    expect(problems).toEqual([])
    expect(await axeViolations(page)).toEqual([])
    await page.close()
  })

  test('sends a request from the page and shows what comes back', async () => {
    const { page } = await visitDocs('light')
    const block = page.locator('.opblock', { hasText: '/health' }).first()
    await block.locator('.opblock-summary').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    await block.getByRole('button', { name: 'Execute' }).click()
    await block.locator('.live-responses-table').waitFor()
    expect(await block.locator('.live-responses-table').textContent()).toContain('mutation_auth')
    await page.close()
  })

  test('follows the colours of the system', async () => {
    const { page } = await visitDocs('dark')
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await background()
    expect(await axeViolations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(background).not.toBe(dark)
    await page.close()
  })
})
