import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { axeViolations, openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function guarded(): Promise<{ page: Page; server: WebServer }> {
  const { server } = await storyServer({ token: 'main-secret', readToken: 'read-secret' })
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, `${server.url}/?view=log`)
  await page.getByText('This ledger takes a token').waitFor()
  return { page, server }
}

async function useToken(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Use token' }).click()
}

describe('where a token is configured', () => {
  test('the page asks for it, says when it is wrong, and goes on where it was asked', async () => {
    const { page } = await guarded()
    expect(await axeViolations(page)).toEqual([])
    await useToken(page, 'wrong')
    await page.getByText('The Bearer token is not valid.').waitFor()
    await useToken(page, 'main-secret')
    await page.getByText('cheaper and faster, same tone').waitFor()
    expect(page.url()).not.toContain('secret')
    await page.reload()
    await page.getByText('cheaper and faster, same tone').waitFor()
  })

  test('it is kept in the storage of the tab alone', async () => {
    const { page, server } = await guarded()
    await useToken(page, 'main-secret')
    await page.getByText('cheaper and faster, same tone').waitFor()
    const kept = await page.evaluate(() => [
      JSON.stringify(sessionStorage),
      JSON.stringify(localStorage) + document.cookie,
    ])
    expect(kept[0]).toContain('main-secret')
    expect(kept[1]).not.toContain('secret')
    const other = await page.context().newPage()
    onTestFinished(() => other.close())
    await other.goto(server.url)
    await other.getByText('This ledger takes a token').waitFor()
  })

  test('with a read token everything shows, and a change is refused in words', async () => {
    const { page } = await guarded()
    await useToken(page, 'read-secret')
    await page.getByText('cheaper and faster, same tone').waitFor()
    await page.getByRole('link', { name: 'Board' }).click()
    await page
      .getByRole('row', { name: /support-bot/ })
      .getByRole('link', { name: 'support-bot' })
      .click()
    await page.getByRole('button', { name: 'Roll back…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText('This token may not change anything. That needs the role write or admin.')
      .waitFor()
    await dialog.getByText('Passes the policy').waitFor()
    await dialog.getByLabel('Reason').fill('why not')
    await expect.poll(() => dialog.getByRole('button', { name: 'Roll back now' }).isDisabled()).toBe(true)
  })
})

test('the access page says who may do what', async () => {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, `${server.url}/?view=settings&part=access`)
  await page.getByText('open to everybody who reaches the service').waitFor()
  await page.getByText('from this machine only').waitFor()
})

test('read-only mode changes nothing, whatever is clicked', async () => {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  const { page, requested } = await openPage(browser, `${server.url}/?view=settings&part=access`)
  await page.getByLabel('Read-only mode: this page changes nothing').check()
  await page.getByRole('link', { name: 'Board' }).click()
  await settled(page)
  await page
    .getByRole('row', { name: /support-bot/ })
    .getByRole('link', { name: 'support-bot' })
    .click()
  await page.getByRole('button', { name: 'Roll back…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Passes the policy').waitFor()
  await dialog.getByText('Read-only mode is on.').waitFor()
  await dialog.getByLabel('Reason').fill('try')
  await expect.poll(() => dialog.getByRole('button', { name: 'Roll back now' }).isDisabled()).toBe(true)
  expect(requested.filter(url => /v1\/(?:promote|rollback)/.test(url))).toEqual([])
})

test('who may read some agents sees the decisions of these in the log', async () => {
  const { server } = await storyServer({ token: 'main-secret' })
  onTestFinished(() => server.close())
  const answer = await fetch(`${server.url}/v1/tokens`, {
    method: 'POST',
    headers: { authorization: 'Bearer main-secret', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', role: 'read', agents: ['support-bot'] }),
  })
  const { token } = (await answer.json()) as { token: string }
  const { page } = await openPage(browser, `${server.url}/?view=log`)
  await useToken(page, token)
  await page.getByText('Only decisions are listed').waitFor({ timeout: 10_000 })
  await page.getByText('cheaper and faster, same tone').waitFor({ timeout: 10_000 })
  await page.getByRole('link', { name: 'Promotion blocked' }).first().click()
  await page.getByRole('dialog', { name: 'Promotion' }).getByText('equal').waitFor({ timeout: 10_000 })
})
