import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { webServer } from '../support/browser/web_server.ts'
import { storyServer, tellStory } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

test('a promotion that takes approval is requested, confirmed with a reason, and on record', async () => {
  const server = await webServer({ workspace: { promotion_requires_approval: true } })
  onTestFinished(() => server.close())
  const { baseline, regression } = await tellStory(server)
  const requested = await server.send('POST /v1/promote/request', {
    release_id: baseline,
    environment: 'prod',
    window: '24h',
    reason: 'first',
  })
  await server.send('POST /v1/promote/confirm', {
    request_id: requested.request_id,
    approval_reason: 'fine',
  })
  const { page } = await openPage(browser, server.url)
  await settled(page)
  await page.getByRole('link', { name: 'Releases' }).click()
  await page
    .getByRole('row', { name: /1\.1\.0/ })
    .getByRole('link')
    .click()
  await page.getByRole('button', { name: 'Promote…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Passes the policy').waitFor()
  await dialog.getByLabel('Reason').fill('cheaper')
  await dialog.getByLabel('Your name').fill('ann')
  await dialog.getByRole('button', { name: 'Request approval' }).click()
  await dialog.getByText('Requested: it waits for a confirmation').waitFor()
  await dialog.getByRole('link', { name: /^prq_/ }).click()

  await page
    .getByRole('dialog', { name: 'Promotion request' })
    .getByRole('columnheader', { name: 'When requested' })
    .waitFor()
  await page.keyboard.press('Escape')
  const row = page.getByRole('row', { name: /cheaper/ })
  await row.waitFor()
  await expect.poll(() => page.getByRole('link', { name: /Approvals/ }).textContent()).toContain('1')
  expect(await axeViolations(page)).toEqual([])
  await row.getByRole('button', { name: 'Confirm…' }).click()
  await dialog.getByText('Passes the policy').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await dialog.getByText('You requested this yourself.').waitFor()
  await dialog.getByRole('button', { name: 'Change the name' }).click()
  await dialog.getByLabel('Your name').fill('bob')
  await expect.poll(() => dialog.getByText('You requested this yourself.').count()).toBe(0)
  await dialog.getByLabel('Why it is approved').fill('checked the diff')
  await server.send('PUT /v1/policy', { require_high_diff_confidence: false })
  const meanwhile = {
    release_id: regression,
    environment: 'prod',
    window: '24h',
    reason: 'x',
    actor: 'eve',
  }
  await server.send('POST /v1/rollback', meanwhile)
  await dialog.getByRole('button', { name: 'Confirm and promote' }).click()
  await dialog.getByText(/^Live is now 1\.2\.0 \(eve, /).waitFor()
  await dialog.getByText(/reject it and request the promotion again/).waitFor()
  await server.send('POST /v1/rollback', { ...meanwhile, release_id: baseline })
  await dialog.getByRole('button', { name: 'Confirm and promote' }).click()
  await dialog.getByText('Promoted', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('No promotion waits').waitFor()
  await page.getByRole('button', { name: 'Completed' }).click()
  await page.getByRole('row', { name: /checked the diff/ }).waitFor()
  expect(
    ((await (await fetch(`${server.url}/v1/actions`)).json()) as { actions: unknown[] }).actions[0],
  ).toMatchObject({
    reason: 'cheaper | approval: checked the diff',
    actor: 'bob',
  })
})

test('a request says by when, who has confirmed of how many, and what is otherwise; one is rejected with a reason', async () => {
  const workspace = {
    promotion_requires_approval: true,
    approvals_required: 2,
    approval_expires: '24h',
  }
  const { server, story } = await storyServer({ workspace })
  onTestFinished(() => server.close())
  const request = await server.send('POST /v1/promote/request', {
    release_id: story.baseline,
    environment: 'prod',
    window: '24h',
    reason: 'the old one was better',
    actor: 'ann',
  })
  const confirm = { request_id: request.request_id, approval_reason: 'agreed', actor: 'bea' }
  await server.send('POST /v1/promote/confirm', confirm)
  await server.send('PUT /v1/policy', { max_latency_ms: 1 })
  const { page } = await openPage(browser, `${server.url}/?view=approvals`)
  const row = page.getByRole('row', { name: /the old one was better/ })
  await row.getByText('1 of 2 confirmed').waitFor()
  await row.getByText('bea: agreed').waitFor()
  await row.getByText('ends in 24 h').waitFor()
  await row.getByText('Blocked by policy: 1 reason').waitFor()
  await row.getByText('passed when it was requested').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await row.getByRole('button', { name: 'Reject…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reject a request' })
  await dialog.getByLabel('Why it is rejected').fill('slower')
  await dialog.getByLabel('Your name').fill('cho')
  await dialog.getByRole('button', { name: 'Reject the request' }).click()
  await page.getByText('No promotion waits').waitFor()
  await page.getByRole('button', { name: 'Cancelled' }).click()
  const rejected = page.getByRole('row', { name: /the old one was better/ })
  await rejected.getByText('rejected', { exact: true }).waitFor()
  await expect.poll(() => rejected.textContent()).toContain('by cho: slower')
})

test('a blocked request says why, and a pending one can be cancelled', async () => {
  const server = await webServer({ workspace: { promotion_requires_approval: true } })
  onTestFinished(() => server.close())
  const { baseline } = await tellStory(server)
  const ask = { release_id: baseline, environment: 'prod', window: '24h', reason: 'changed my mind' }
  await server.send('POST /v1/promote/request', ask)
  const { page } = await openPage(browser, `${server.url}/?view=approvals`)
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await page.getByLabel('Why it is cancelled').fill('superseded')
  await page.getByLabel('Your name').fill('ann')
  await page.getByRole('button', { name: 'Cancel the request' }).click()
  await page.getByText('No promotion waits').waitFor()
  const [request] = (
    (await (await fetch(`${server.url}/v1/promotion-requests`)).json()) as {
      requests: { status: string }[]
    }
  ).requests
  expect(request!.status).toBe('cancelled')
})
