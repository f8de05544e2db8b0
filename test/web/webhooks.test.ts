import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { axeViolations, openPage } from '../support/web_page.ts'
import { webServer } from '../support/web_server.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const WEBHOOK = {
  webhook_id: 'whk_000000000001',
  url: 'https://hooks.example.com/releases',
  events: ['promote.succeeded', 'promote.blocked'],
  description: null,
  enabled: true,
  created_at: '2026-01-31T12:00:00.000Z',
  secret_preview: '…cafe',
}

const DELIVERY = {
  delivery_id: '0b0f7a53-8a0e-4b6f-9d6c-6b1d4f6f2f10',
  webhook_id: WEBHOOK.webhook_id,
  event: 'promote.blocked',
  status: 'failed',
  attempts: 3,
  created_at: '2026-01-31T12:00:01.000Z',
  next_attempt_at: null,
  last_attempt_at: '2026-01-31T12:00:04.000Z',
  response_code: 500,
  duration_ms: 12,
  response_text: 'no <b>room</b>',
  problem: 'answered 500',
}

interface Hooks {
  readonly page: Page
  readonly sent: { method: string; path: string; body: unknown }[]
}

/** The page on a service whose webhook routes answer as they are specified to. */
async function withWebhooks(existing: (typeof WEBHOOK)[]): Promise<Hooks> {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  const sent: Hooks['sent'] = []
  await page.route('**/v1/webhook*/**', route => answer(route))
  await page.route('**/v1/webhooks', route => answer(route))
  async function answer(route: Parameters<Parameters<Page['route']>[1]>[0]): Promise<void> {
    const request = route.request()
    const [method, path] = [request.method(), new URL(request.url()).pathname]
    if (method !== 'GET') sent.push({ method, path, body: request.postDataJSON() as unknown })
    const body: unknown =
      path === '/v1/webhooks' && method === 'POST'
        ? { ...WEBHOOK, secret: 'whsec_tell-nobody' }
        : path === '/v1/webhooks'
          ? { webhooks: existing }
          : path.endsWith('/deliveries')
            ? { deliveries: [DELIVERY] }
            : path.endsWith('/test')
              ? {
                  webhook_id: WEBHOOK.webhook_id,
                  delivery_id: 'd',
                  status: 'delivered',
                  response_code: 204,
                  duration_ms: 31,
                  response_text: '',
                  problem: null,
                }
              : path.endsWith('/replay')
                ? { ...DELIVERY, status: 'pending' }
                : { webhook_id: WEBHOOK.webhook_id, deleted: true }
    await route.fulfill({ json: body })
  }
  await page.goto(`${server.url}/?view=webhooks`)
  return { page, sent }
}

test('a webhook is added, and its secret is shown this once', async () => {
  const { page, sent } = await withWebhooks([])
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Add a webhook…' }).click()
  expect(await axeViolations(page)).toEqual([])
  await page.getByLabel('URL').fill(WEBHOOK.url)
  await page.getByLabel('promotion.requested').uncheck()
  await page.getByLabel('rollback.succeeded').uncheck()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('whsec_tell-nobody').waitFor()
  expect(sent).toEqual([
    { method: 'POST', path: '/v1/webhooks', body: { url: WEBHOOK.url, events: WEBHOOK.events } },
  ])
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await expect.poll(() => page.getByText('whsec_tell-nobody').count()).toBe(0)
})

test('its deliveries are listed, tested, replayed, and it is removed on second thoughts only', async () => {
  const { page, sent } = await withWebhooks([WEBHOOK])
  await page.getByRole('link', { name: WEBHOOK.url }).click()
  const drawer = page.getByRole('dialog', { name: 'Webhook' })
  await drawer.getByText('answered 500').waitFor()
  expect(await axeViolations(page)).toEqual([])
  await drawer.getByRole('button', { name: 'Send a test' }).click()
  await drawer.getByText('204, 31 ms').waitFor()
  await drawer.getByRole('button', { name: 'Replay' }).click()
  await drawer.getByRole('button', { name: 'Remove…' }).click()
  await drawer.getByRole('button', { name: 'Remove it and its deliveries' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST /v1/webhooks/${WEBHOOK.webhook_id}/test`,
    `POST /v1/webhook-deliveries/${DELIVERY.delivery_id}/replay`,
    `DELETE /v1/webhooks/${WEBHOOK.webhook_id}`,
  ])
})
