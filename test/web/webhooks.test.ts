import { WEBHOOK_EVENTS } from '../../src/models/names.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { httpReceiver } from '../support/processes/http_receiver.ts'
import { axeViolations, openPage, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { artifactOf } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

/** The webhooks of a service of the test's own. */
async function openWebhooks(): Promise<{ server: WebServer; page: Page }> {
  const server = await webServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, `${server.url}/?view=settings&part=webhooks`)
  return { server, page }
}

test('a webhook is added, and its secret is shown this once', async () => {
  const { server, page } = await openWebhooks()
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Add a webhook…' }).click()
  expect(await axeViolations(page)).toEqual([])
  await page.getByLabel('URL').fill('https://hooks.example.com/releases')
  const others = WEBHOOK_EVENTS.filter(event => !event.startsWith('promote.') && event !== 'test.ping')
  await page.getByRole('button', { name: 'Slack' }).click()
  await page.getByText('A message for a chat').waitFor()
  await page.getByRole('button', { name: 'Teams' }).click()
  for (const event of others) await page.getByLabel(event).uncheck()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  // Base64 has more than the characters of words.
  const secret = page.getByText(/whsec_[\w+/]{20}/)
  await secret.waitFor()
  const listed = await (await fetch(`${server.url}/v1/webhooks`)).json()
  expect(listed).toMatchObject({
    webhooks: [
      {
        url: expect.stringContaining('hooks.example.com'),
        events: ['promote.succeeded', 'promote.blocked'],
        format: 'teams',
      },
    ],
  })
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await expect.poll(() => secret.count()).toBe(0)
})

test('an address that is none is said at its field', async () => {
  const { page } = await openWebhooks()
  await page.getByRole('button', { name: 'Add a webhook…' }).click()
  await page.getByLabel('URL').fill('ftp://hooks.example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText(/url .*http/i).waitFor()
  await expect.poll(() => page.getByText(/whsec_/).count()).toBe(0)
})

test('its deliveries are listed, tested, replayed, and it is removed on second thoughts only', async () => {
  const { server, page } = await openWebhooks()
  const receiver = await httpReceiver(response => response.writeHead(204).end())
  await server.send('POST /v1/webhooks', { url: receiver.url, events: ['promote.succeeded'] })
  const registration = { artifact: artifactOf('bot', '1', 'One.'), checksum: 'ab'.repeat(32) }
  const { release_id } = await server.send('POST /v1/releases', registration)
  const body = { release_id, environment: 'prod', window: '1h', reason: 'first' }
  await server.send('POST /v1/promote', body)
  await receiver.arrived(1)

  await page.reload()
  await page.getByRole('link', { name: receiver.url }).click()
  const drawer = page.getByRole('dialog', { name: 'Webhook' })
  await drawer.getByText('promote.succeeded').nth(1).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await drawer.getByRole('button', { name: 'Send a test' }).click()
  await drawer
    .getByRole('status')
    .getByText(/^answered 204, \d+ ms/)
    .waitFor()
  await receiver.arrived(2)
  expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({ event: 'test.ping' })
  await drawer.getByRole('button', { name: 'Replay' }).click()
  await receiver.arrived(3)
  expect(receiver.received[2]!.headers['webhook-id']).toBe(receiver.received[0]!.headers['webhook-id'])
  await drawer.getByRole('button', { name: 'Remove…' }).click()
  await drawer.getByRole('button', { name: 'Remove it and its deliveries' }).click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await page.getByText('No webhooks yet').waitFor()
})
