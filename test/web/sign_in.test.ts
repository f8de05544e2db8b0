import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type TestProvider, testProvider } from '../support/access/provider.ts'
import { signInAt } from '../support/access/visitor.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { type WatchedPage, axeViolations, openPage, settled } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { storyServer } from '../support/browser/web_story.ts'
import { freePort } from '../support/processes/free_port.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

interface Scene extends WatchedPage {
  readonly provider: TestProvider
  readonly server: WebServer
}

/** A ledger where people sign in, opened at a page of it by somebody who hasn't. */
async function scene(query = '?view=log', claims: Record<string, unknown> = {}): Promise<Scene> {
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const redirectUris = [`${public_url}/v1/sign-in/sso/callback`]
  const provider = await testProvider({ redirectUris, now: Date.now })
  provider.claims = { ...provider.claims, ...claims }
  const workspace = signInAt(provider, { workspace: { public_url } })
  const { server } = await storyServer({ workspace, port, token: 'main-secret' })
  onTestFinished(() => server.close())
  const opened = await openPage(browser, `${server.url}/${query}`)
  onTestFinished(() => opened.page.context().clearCookies())
  return { ...opened, provider, server }
}

const signInAtPage = (page: Page): Promise<void> =>
  page.locator('main').getByRole('link', { name: 'Sign in' }).click()

describe('where people sign in', () => {
  test('the page leads to the provider and back to where it was, and says who one is', async () => {
    const { page, problems } = await scene('?view=log&agent=support-bot')
    await page.getByRole('heading', { name: 'Sign in to see this ledger' }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await signInAtPage(page)
    await page.getByText('cheaper and faster, same tone').waitFor()
    expect(new URL(page.url()).search).toBe('?view=log&agent=support-bot')
    await page.locator('.sidebar').getByText('Ann').waitFor()
    await expect.poll(() => page.locator('.sidebar').getByText('Set your name').count()).toBe(0)
    // No script can read what proves the session.
    expect(await page.evaluate(() => document.cookie)).toMatch(/^service-csrf=\w+$/)
    expect(problems).toEqual([])
  })

  test('decisions go on record under the name of who has signed in, which is not asked for', async () => {
    const { page } = await scene('?view=place&agent=support-bot&env=prod')
    await page.evaluate(() => localStorage.setItem('service-actor', 'somebody else'))
    await signInAtPage(page)
    await page.getByRole('button', { name: 'Roll back…' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You act as Ann, who has signed in.').waitFor()
    await expect.poll(() => dialog.getByLabel('Your name').count()).toBe(0)
    await dialog.getByLabel('Reason').fill('slower than it was')
    await dialog.getByRole('button', { name: 'Roll back now' }).click()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    const { actions } = await page.evaluate(async () => (await fetch('v1/actions?limit=1')).json())
    expect(actions[0]).toMatchObject({ actor: 'Ann', reason: 'slower than it was' })
  })

  test('who signs out sees nothing any more, here and at the provider', async () => {
    const { page, provider, requested } = await scene()
    await signInAtPage(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to see this ledger' }).waitFor()
    expect(requested.some(url => url.startsWith(`${provider.url}/sign-out?`))).toBe(true)
    expect(await page.context().cookies()).toEqual([])
  })

  test('a session that is revoked in another place ends this page too, and its form says so', async () => {
    const { page } = await scene('?view=settings&part=access')
    await signInAtPage(page)
    await page
      .getByRole('row', { name: /this browser/ })
      .getByRole('button', { name: 'Revoke…' })
      .click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('it was revoked').first().waitFor()
    await page.getByRole('link', { name: 'Log' }).click()
    await page.getByText('The session has ended: it was revoked; sign in again.').waitFor()
  })

  test('a role that only reads is told so where it would change something', async () => {
    const { page } = await scene('?view=place&agent=support-bot&env=prod', { groups: ['team-red'] })
    await signInAtPage(page)
    await page.getByRole('button', { name: 'Roll back…' }).first().click()
    await page
      .getByRole('dialog')
      .getByText('Your role may not change anything. That needs the role write or admin.')
      .waitFor()
  })

  test('a token still opens the page for those who have one', async () => {
    const { page } = await scene()
    await page.getByText('Use a token instead').click()
    await page.getByLabel('Token').fill('main-secret')
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByText('cheaper and faster, same tone').waitFor()
    await page.locator('.sidebar').getByText('Set your name').waitFor()
  })

  test('why somebody is not let in is told on a page that leads back', async () => {
    const { page } = await scene('?view=log', { groups: ['others'] })
    await signInAtPage(page)
    await page
      .getByText(
        'No role is set for Ann: groups has another value. Ask the operator of this service for a role.',
      )
      .waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Back to the web UI' }).click()
    await page.getByRole('heading', { name: 'Sign in to see this ledger' }).waitFor()
  })
})

describe('the access page', () => {
  test('says what one may do, and who has signed in; a token is made, replaced and ended there', async () => {
    const { page, problems } = await scene('?view=settings&part=access', { groups: ['admins'] })
    await signInAtPage(page)
    await page.getByText('set policies and prices').first().waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Create a token…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('ci-deploy')
    await dialog.getByLabel('It may').selectOption('write')
    await dialog.getByLabel('Agents').fill('support-bot, triage-bot')
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = await dialog.locator('code').textContent()
    expect(secret).toMatch(/^rgs_[0-9a-f]{64}$/)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    const row = page.getByRole('row', { name: /ci-deploy/ }).first()
    await row.getByText('only support-bot, triage-bot in all').waitFor()
    const statusWith = (token: string | null): Promise<number> =>
      page.evaluate(
        async authorization => (await fetch('v1/releases', { headers: { authorization } })).status,
        `Bearer ${token}`,
      )
    expect(await statusWith(secret)).toBe(200)
    await row.getByRole('button', { name: 'Rotate…' }).click()
    await dialog.getByLabel('The one before stays good for').selectOption('0m')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const next = await dialog.locator('code').textContent()
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    expect([await statusWith(secret), await statusWith(next)]).toEqual([401, 200])
    await page
      .getByRole('row', { name: /ci-deploy/ })
      .getByRole('button', { name: 'Revoke…' })
      .first()
      .click()
    await page.getByRole('button', { name: 'Revoke the last one: open to everybody' }).click()
    await expect.poll(() => statusWith(next)).toBe(401)
    const { tokens } = await page.evaluate(async () => (await fetch('v1/tokens')).json())
    expect(new Set(tokens.map(({ created_by }: any) => created_by))).toEqual(new Set(['Ann']))
    expect(await axeViolations(page)).toEqual([])
    expect(problems).toEqual([])
  })

  test('tells those who may not see tokens why, and nothing else is locked by it', async () => {
    const { page } = await scene('?view=settings&part=access')
    await signInAtPage(page)
    await page.getByText(/^Your role may not manage/).waitFor()
    await page.getByRole('link', { name: 'Log' }).click()
    await page.getByText('cheaper and faster, same tone').waitFor()
  })
})
