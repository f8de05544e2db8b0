import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function opened(): Promise<{ server: WebServer; page: Page; problems: string[] }> {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page, problems } = await openPage(browser, server.url)
  await settled(page)
  return { server, page, problems }
}

/** Runs what the page shows, as somebody who pastes it into a shell, against the service that shows it. */
async function paste(folder: string, server: WebServer, command: string): Promise<void> {
  const svc = `svc() { "${process.execPath}" "${join(ROOT_PATH, 'bin/svc.cjs')}" "$@"; }; `
  const env = { ...process.env, SERVICE_URL: server.url, SERVICE_LOCAL_API_TOKEN: '' }
  await promisify(execFile)('bash', ['-c', svc + command], { cwd: folder, env })
}

const done = (page: Page) => page.locator('.steps li.ok')
const commands = (page: Page) => page.locator('.steps code').allTextContents()

test('an empty ledger has a checklist whose commands work as pasted, and which ticks by itself', async () => {
  const { server, page, problems } = await opened()
  const folder = mkdtempSync(join(tmpdir(), 'svc-first-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await page.getByText('No releases yet').waitFor()
  expect(await axeViolations(page)).toEqual([])
  const [describing, registering] = await commands(page)
  await paste(folder, server, describing!)
  await paste(folder, server, registering!)
  await page.getByRole('button', { name: 'Pause updates' }).click()
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => done(page).count()).toBe(1)
  await page.getByText('Nothing is live yet').waitFor()
  const curl = page.locator('.steps code', { hasText: 'curl' })
  await curl.waitFor()
  await paste(folder, server, await curl.textContent().then(text => text!))
  await page.getByRole('button', { name: 'Pause updates' }).click()
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => done(page).count()).toBe(2)
  expect(await axeViolations(page)).toEqual([])
  await page.locator('.steps').getByRole('button', { name: 'Promote…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('the first one')
  await dialog.getByLabel('Your name').fill('kim')
  await dialog.getByRole('button', { name: 'Promote', exact: true }).click()
  await dialog.getByText('Promoted', { exact: true }).waitFor()
  await expect.poll(() => page.locator('.steps').count()).toBe(0)
  expect(problems).toEqual([])
})

test('demo data is loaded into an empty ledger only', async () => {
  const { page, problems } = await opened()
  await page.getByRole('button', { name: 'Load demo data' }).click()
  const row = page.getByRole('row', { name: /demo-bot/ })
  await row.getByRole('link', { name: /^1\.0\.0/ }).waitFor()
  await row.getByRole('link', { name: 'demo-bot' }).click()
  await page
    .getByRole('region', { name: 'Verdict' })
    .getByText(/^1\.1\.0 /)
    .waitFor()
  expect(problems).toEqual([])
  const other = await webServer()
  onTestFinished(() => other.close())
  // A page that learns of the release in time offers no demo data.
  await page.route('**/v1/stream', route => route.abort())
  await page.goto(other.url)
  const button = page.getByRole('button', { name: 'Load demo data' })
  await button.waitFor()
  const spec = {
    agent: { agent_id: 'a' },
    runtime: { provider: 'p', model: 'm' },
    pricing_reference: { provider: 'p', pricing_version: '1' },
  }
  const artifact = { api_version: 'v1', kind: 'Release', metadata: { name: 'a', version: '1' }, spec }
  await other.send('POST /v1/releases', { artifact, checksum: 'a'.repeat(64), environment: 'prod' })
  await button.click()
  await page.getByText('This ledger has releases by now: nothing was loaded.').waitFor()
})
