import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, loadedAhead, openPage, settled } from '../support/browser/web_page.ts'
import { scaled } from '../support/scale.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { artifactOf, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

async function startedServer(): Promise<WebServer> {
  const server = await webServer()
  onTestFinished(() => server.close())
  return server
}

test('a service that dies leaves what was read, says so, and is found again', async () => {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, server.url)
  await page.getByRole('rowheader', { name: 'support-bot' }).waitFor()
  await loadedAhead(page)
  await server.stop()
  await page.getByText('The service does not answer').waitFor()
  await expect.poll(() => page.getByRole('rowheader', { name: 'support-bot' }).count()).toBe(1)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Log' }).click()
  await page.getByRole('alert').getByText('The service does not answer.').waitFor()
  await server.start()
  await page.getByText('nicer answers').waitFor()
  await expect.poll(() => page.getByText('The service does not answer').count()).toBe(0)
})

test('a service whose ledger is gone says so, keeps what was read, and goes on when it is back', async () => {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, server.url)
  await page.getByRole('rowheader', { name: 'support-bot' }).waitFor()
  server.outage.isOn = true
  await page.getByText('The ledger is not available; try again later. What you see').waitFor()
  await expect.poll(() => page.getByRole('rowheader', { name: 'support-bot' }).count()).toBe(1)
  await page.getByRole('link', { name: 'Log' }).click()
  await page.getByRole('alert').getByText('The ledger is not available; try again later.').waitFor()
  expect(await axeViolations(page)).toEqual([])
  server.outage.isOn = false
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  await page.getByText('nicer answers').waitFor()
  await expect.poll(() => page.getByText('The ledger is not available').count()).toBe(0)
})

test('a server that takes no changes is not called gone', async () => {
  const { server } = await storyServer()
  onTestFinished(() => server.close())
  const { page } = await openPage(
    browser,
    `${server.url}/?decide=rollback&decide_agent=support-bot&decide_env=prod`,
  )
  await page.getByText('Passes the policy').waitFor()
  const detail = 'Another server takes changes now.'
  await page.route('**/v1/rollback', route => route.fulfill({ status: 503, json: { detail } }))
  await page.getByLabel('Reason').fill('complaints')
  await page.getByLabel('Your name').fill('dora')
  await page.getByRole('button', { name: 'Roll back now' }).click()
  await page.getByRole('alert').getByText(detail).waitFor()
  await expect.poll(() => page.getByText('What you see may be out of date').count()).toBe(0)
})

test('an answer that is no answer of the service is an error in words', async () => {
  const server = await startedServer()
  const { page } = await openPage(browser, 'about:blank')
  await page.route('**/v1/board', route =>
    route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Oops</h1>' }),
  )
  await page.goto(server.url)
  await page.getByText('The service answered 500').waitFor()
  await page.unroute('**/v1/board')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No releases yet').waitFor()
})

/** An address with a script, and in its comment what other places would take for more than text. */
const HOSTILE = [
  'javascript:alert(3)//a&view=access#x?y=%00% "><script>alert(2)</script><img src=x onerror=alert(1)>',
  '\u202Ereversed\u202C and \u0627\u0644\u0639\u0631\u0628\u064A\u0629 👩‍👩‍👧‍👦 🚀 e\u0301',
].join(' ')

test.each(scaled([HOSTILE], [HOSTILE, 'x'.repeat(512)]))('%s is only ever text', async text => {
  const server = await startedServer()
  const { send } = server
  // Names of agents, people and environments may not hold what can't be seen.
  const name = text.replaceAll(/\p{Cf}/gu, '')
  const artifact = artifactOf(name, text, text)
  const environment = name
  const { release_id } = await send('POST /v1/releases', {
    artifact,
    checksum: 'a'.repeat(64),
    environment,
  })
  const body = { release_id, environment, window: '24h', reason: text, actor: name }
  const { action_id } = await send('POST /v1/promote', body)
  await send('POST /v1/events', {
    events: [
      {
        timestamp: new Date(Date.now() - 60_000).toISOString(),
        agent_id: name,
        release_id,
        run_id: text,
        tenant_id: text,
        task_id: text,
        environment,
        metrics: { success: false, error_type: text },
        usage: { model: { provider: text, model: text, input_tokens: 1, output_tokens: 1 } },
        labels: { [text]: text },
        request: { session_id: text, trace_id: text },
      },
    ],
  })
  const { page, problems } = await openPage(browser, server.url)
  page.on('dialog', () => problems.push('a dialog of the browser opened'))
  await page.getByText(text).first().waitFor()
  const queries = [
    {},
    { view: 'board', find: text },
    { view: 'place', release: release_id },
    { view: 'log', agent: name, env: environment, action: action_id },
    { view: 'runs', release: release_id, env: environment, run: text },
    { view: 'runs', release: release_id, env: environment, group: 'session', tenant: text },
    { decide: 'rollback', decide_agent: name, decide_env: environment },
  ] as unknown as Record<string, string>[]
  for (const query of queries) {
    await page.goto(`${server.url}/?${new URLSearchParams(query)}`)
    await settled(page)
    await page.getByText(text).first().waitFor({ state: 'attached' })
    const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(width).toBeLessThanOrEqual(room)
    await expect.poll(() => page.locator('#app img, #app script').count()).toBe(0)
  }
  expect(problems).toEqual([])
})
