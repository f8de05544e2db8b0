import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations, openPage, settled, connectBrowser } from '../support/browser/web_page.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'
import { runStory } from '../support/browser/web_story.ts'

let browser: Browser
let server: WebServer
let page: Page
let problems: string[]

/** One page of one service, whose policy changes from test to test. */
beforeAll(async () => {
  ;[browser, server] = await Promise.all([
    connectBrowser(),
    webServer({ workspace: { environments: ['staging', 'prod'] } }),
  ])
  await runStory(server)
  ;({ page, problems } = await openPage(browser, `${server.url}/?view=settings&part=policy`))
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const inForce = async () => (await fetch(`${server.url}/v1/policy`)).json() as Promise<object>
const drawer = (name: string) => page.getByRole('dialog', { name })

test('a policy is edited, tried on past decisions, and set with a name and a reason', async () => {
  await settled(page)
  await page.getByRole('button', { name: 'Edit the policy…' }).click()
  const edit = drawer('Edit the policy')
  const latency = edit.getByLabel('Latency, mean, at most (ms)')
  await expect.poll(() => latency.inputValue()).toBe('1800')
  await latency.fill('fast')
  await edit.getByRole('button', { name: 'Try it on past decisions' }).click()
  await edit.getByText('A number in ms, or nothing for off.').waitFor()
  await latency.fill('700')
  await edit.getByLabel('Error rate, at most (%)').fill('2.5')
  expect(await axeViolations(page)).toEqual([])
  await edit.getByRole('button', { name: 'Try it on past decisions' }).click()

  const review = drawer('Review the policy')
  await review.getByText('Would have changed 1 of the last 3 decisions').waitFor()
  await review.getByText('latency may be up to 700 ms on average').waitFor()
  await review.getByText('up to 2.5 % of runs may fail').waitFor()
  const decision = review.getByRole('table', { name: 'Decisions that would have been others' })
  await expect
    .poll(() => decision.textContent())
    .toMatch(/passed.*blocked.*latency_ms_avg \d+\.\d\d exceeds max 700/)
  await expect
    .poll(() => review.getByRole('row', { name: /^Latency, mean/ }).textContent())
    .toContain('1,800 ms700 ms')
  const set = review.getByRole('button', { name: 'Set this policy' })
  await expect.poll(() => set.isDisabled()).toBe(true)
  await review.getByLabel('Why').fill('as slow as it ever was')
  await review.getByLabel('Your name').fill('dóra 董')
  expect(await axeViolations(page)).toEqual([])
  await set.click()
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(await inForce()).toMatchObject({ max_latency_ms: 700, max_error_rate: 0.025 })
})

test('what has the focus is never behind the foot of the drawer', async () => {
  await page.getByRole('button', { name: 'Edit the policy…' }).click()
  await drawer('Edit the policy').getByLabel('Policy', { exact: true }).focus()
  const covered = (): Promise<string> =>
    page.evaluate(() => {
      const focused = document.activeElement!
      const { left, top, width, height } = focused.getBoundingClientRect()
      const seen = document.elementFromPoint(left + width / 2, top + height / 2)
      return focused.contains(seen) ? '' : focused.outerHTML
    })
  for (const _ of Array.from({ length: 9 })) {
    await page.keyboard.press('Tab')
    await expect.poll(covered).toBe('')
  }
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add an override')
  await page.keyboard.press('Escape')
})

test('an override is added and refused where it contradicts; then shown, and what it makes of a place', async () => {
  await page.getByRole('button', { name: 'Edit the policy…' }).click()
  const edit = drawer('Edit the policy')
  await edit.getByRole('button', { name: 'Add an override' }).click()
  const rule = edit.getByRole('group', { name: 'Override 1' })
  await rule.getByText('Name an agent, an environment, or both.').waitFor()
  await rule.getByLabel('Agent').fill('support-*x')
  await rule.getByLabel('Environment').fill('prod')
  await rule.getByLabel('Add a limit').selectOption('Latency, p95, at most')
  await rule.getByLabel('Latency, p95, at most (ms)').fill('2000')
  await rule.getByLabel('Add a limit').selectOption('Error rate, at most')
  await edit.getByRole('button', { name: 'Try it on past decisions' }).click()
  await page.getByRole('alert').filter({ hasText: 'agent_id' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Set this policy' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Back to the fields' }).click()
  await rule.getByLabel('Agent').fill('suport-*')
  await edit.getByRole('button', { name: 'Try it on past decisions' }).click()
  const review = drawer('Review the policy')
  const warning = review.getByText('overrides[0] matches nothing yet: there is nothing of agent suport-*')
  await warning.waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Back to the fields' }).click()
  await rule.getByLabel('Agent').fill('support-*')
  await edit.getByRole('button', { name: 'Try it on past decisions' }).click()
  await review.getByText('of the last 3 decisions').waitFor()
  await expect.poll(() => warning.count()).toBe(0)
  await review.getByLabel('Why').fill('prod is watched closely')
  await review.getByText('You act as dóra 董').waitFor()
  await review.getByRole('button', { name: 'Set this policy' }).click()
  const overrides = page.getByRole('table', { name: 'Overrides' })
  await overrides.getByText('Latency, p95, at most: 2,000 ms').waitFor()
  expect(await inForce()).toMatchObject({
    overrides: [
      { agent_id: 'support-*', environment: 'prod', max_latency_p95_ms: 2000, max_error_rate: null },
    ],
  })
  await page.getByLabel('Agent').fill('support-bot')
  await page.keyboard.press('Enter')
  await page.getByLabel('Environment').fill('prod')
  await page.keyboard.press('Enter')
  await page.getByText('From override 1').waitFor()
  const section = page.locator('.section', { hasText: 'What holds in one place' })
  await expect
    .poll(() => section.textContent())
    .toMatch(/Error rate, at mostoff.*Latency, p95, at most2,000 msFrom override 1support-\* in prod/)
  expect(await axeViolations(page)).toEqual([])
  expect(problems).toEqual([])
})

test('overrides whose keys come in another order are no change, in the review and in the log', async () => {
  const override = {
    max_error_rate: null,
    max_latency_p95_ms: 2000,
    environment: 'prod',
    agent_id: 'support-*',
  }
  await server.send('PUT /v1/policy', { overrides: [override], reason: 'sorted', actor: 'ann' })
  await page.goto(`${server.url}/?view=settings&part=policy`)
  await page.getByRole('button', { name: 'Edit the policy…' }).click()
  await drawer('Edit the policy').getByLabel('Latency, mean, at most (ms)').fill('650')
  await drawer('Edit the policy').getByRole('button', { name: 'Try it on past decisions' }).click()
  const review = drawer('Review the policy')
  await review.getByRole('row', { name: /^Latency, mean/ }).waitFor()
  await expect.poll(() => review.locator('tr.differs').count()).toBe(1)
  await review.getByLabel('Why').fill('a little faster')
  await review.getByRole('button', { name: 'Set this policy' }).click()
  await page.getByText('650 ms', { exact: true }).waitFor()
  const { entries } = (await (await fetch(`${server.url}/v1/audit?kind=policy&limit=1`)).json()) as {
    entries: { details: { changes: string[] } }[]
  }
  expect(entries[0]!.details.changes).toEqual(['max_latency_ms 700 → 650'])
})
