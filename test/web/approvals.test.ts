import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import { webServer } from '../support/browser/web_server.ts'
import { storyServer, runStory } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

test('a promotion that takes approval is requested, confirmed with a reason, and on record', async () => {
  const server = await webServer({ workspace: { promotion_requires_approval: true } })
  onTestFinished(() => server.close())
  const { baseline, candidate, regression } = await runStory(server)
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
  const { page } = await openPage(
    browser,
    `${server.url}/?decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${candidate}`,
  )
  await settled(page)
  const asking = page.getByRole('dialog')
  await asking.getByText('Passes the policy').waitFor()
  await asking.getByLabel('Reason').fill('cheaper')
  await asking.getByLabel('Your name').fill('ann')
  await asking.getByRole('button', { name: 'Request approval' }).click()
  await asking.getByText('Requested: it waits for a confirmation').waitFor()
  await asking.getByRole('link', { name: /^prq_/ }).click()

  const sheet = page.getByRole('dialog', { name: 'Request for support-bot · prod' })
  await sheet.getByRole('columnheader', { name: 'When requested' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.keyboard.press('Escape')
  // Whoever may confirm it finds it on the board, and on the page of its place.
  await page.getByRole('link', { name: 'Board' }).click()
  const need = page.getByRole('region', { name: 'Needs somebody' }).getByRole('listitem').first()
  await need.getByText(/ann asks to promote 1\.1\.0, .*: cheaper$/).waitFor()
  await need.getByRole('link', { name: 'Review' }).click()
  await sheet.getByRole('button', { name: 'Confirm…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve: support-bot · prod 1.0.0 → 1.1.0' })
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
  await sheet.getByText(/by bob: checked the diff/).waitFor()
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
  const { page } = await openPage(browser, `${server.url}/?view=place&request=${request.request_id}`)
  const sheet = page.getByRole('dialog', { name: 'Request for support-bot · prod' })
  await sheet.getByText('1 of 2 confirmed').waitFor()
  await sheet.getByText('bea: agreed').waitFor()
  await sheet.getByText('ends in 24 h').waitFor()
  await sheet.getByText('Blocked by policy: 1 reason').waitFor()
  const judged = sheet.getByRole('table').getByRole('row', { name: /^Policy/ })
  await expect.poll(() => judged.textContent()).toMatch(/^Policypassedblocked/)
  expect(await axeViolations(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Reject…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reject: support-bot · prod 1.1.0 → 1.0.0' })
  await dialog.getByLabel('Why it is rejected').fill('slower')
  await dialog.getByLabel('Your name').fill('cho')
  await dialog.getByRole('button', { name: 'Reject the request' }).click()
  await sheet.getByText('rejected', { exact: true }).waitFor()
  await expect.poll(() => sheet.textContent()).toContain('by cho: slower')
})

test('a blocked request says why, and a pending one can be cancelled', async () => {
  const server = await webServer({ workspace: { promotion_requires_approval: true } })
  onTestFinished(() => server.close())
  const { baseline } = await runStory(server)
  const ask = { release_id: baseline, environment: 'prod', window: '24h', reason: 'changed my mind' }
  const { request_id } = await server.send('POST /v1/promote/request', ask)
  const { page } = await openPage(browser, `${server.url}/?view=place&request=${request_id}`)
  await page.getByRole('button', { name: 'Cancel…' }).click()
  await page.getByLabel('Why it is cancelled').fill('superseded')
  await page.getByLabel('Your name').fill('ann')
  await page.getByRole('button', { name: 'Cancel the request' }).click()
  await page.getByText('cancelled', { exact: true }).first().waitFor()
  const [request] = (
    (await (await fetch(`${server.url}/v1/promotion-requests`)).json()) as {
      requests: { status: string }[]
    }
  ).requests
  expect(request!.status).toBe('cancelled')
})

test('a request for what is live already says that it is', async () => {
  const { server, story } = await storyServer({ workspace: { promotion_requires_approval: true } })
  onTestFinished(() => server.close())
  const body = {
    release_id: story.candidate,
    environment: 'prod',
    window: '24h',
    reason: 'again',
    actor: 'ann',
  }
  const { request_id } = await server.send('POST /v1/promote/request', body)
  const { page } = await openPage(browser, `${server.url}/?view=place&request=${request_id}`)
  const sheet = page.getByRole('dialog', { name: 'Request for support-bot · prod' })
  await sheet
    .getByText(/already live in prod/)
    .first()
    .waitFor()
})
