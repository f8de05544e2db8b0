import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  OF_COLOURS,
  axeViolations,
  connectBrowser,
  openOwnPage,
  openPage,
  settled,
} from '../support/browser/web_page.ts'
import {
  BEGINS,
  type Cast,
  type RolloutStory,
  SHORT,
  castOf,
  passed,
  started,
  seedRollouts,
} from '../support/browser/web_rollouts.ts'
import { type WebServer, webServer } from '../support/browser/web_server.ts'

let browser: Browser
let server: WebServer
let story: RolloutStory

beforeAll(async () => {
  ;[browser, server] = await Promise.all([connectBrowser(), webServer(BEGINS)])
  story = await seedRollouts(server)
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const headline = (page: Page) => page.getByRole('region', { name: 'Where it stands' })
/** What lies on top of the page of the place. */
const sheet = (page: Page) => page.getByRole('dialog', { name: /^Rollout/ })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

async function rolloutOf({ url }: WebServer, id: string) {
  return (await (await fetch(`${url}/v1/rollouts/${id}`)).json()) as Record<string, unknown>
}

/** A server of its own with one agent, whose candidate may be rolled out. */
async function ownServer(workspace: Record<string, unknown> = {}): Promise<{ own: WebServer; one: Cast }> {
  const own = await webServer({ ...BEGINS, workspace })
  onTestFinished(() => own.close())
  const [one] = await castOf(own, { 'new-bot': 100 })
  return { own, one: one! }
}

const SENTENCES = {
  running:
    /^1\.3\.0 gets 10 % of the sessions of support-bot in prod, step 2 of 3; the next step, 50 %, is due in about \d+ min\.$/,
  paused:
    /^1\.3\.0 is paused at 50 % .*, step 3 of 3: bea: the help desk is closed until Monday\. The split stays\.$/,
  aborted:
    /^1\.3\.0 was aborted at 50 % of the sessions of search-bot in prod, after about \d+ (?:h|min): latency \+\d+\.\d % \(at least \+\d+\.\d %\), limit \+20\.0 %\. All get 1\.2\.0\.$/,
  completed:
    /^1\.3\.0 was promoted for all sessions of triage-bot in prod, after about \d h; 5 % stay on 1\.2\.0 until .* UTC\.$/,
  superseded: /^1\.3\.0 was promoted by hand at \d+ % .*: ann: 1\.3\.0 went live \(promote, act_\w+\)\.$/,
} as const

test.each(Object.keys(SENTENCES) as (keyof typeof SENTENCES)[])(
  'a rollout that is %s says so in a sentence, in the dark and on a phone too',
  async state => {
    const { page, problems } = await openPage(
      browser,
      `${server.url}/?view=place&rollout=${story.rollouts[state]}`,
    )
    await settled(page)
    // It names releases by their versions once these are read.
    await expect.poll(() => headline(page).getByRole('heading').textContent()).toMatch(SENTENCES[state])
    expect(await axeViolations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeViolations(page, OF_COLOURS)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 320, height: 700 })
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    expect(widths[0]).toBeLessThanOrEqual(widths[1]!)
    expect(await axeViolations(page)).toEqual([])
    expect(problems).toEqual([])
  },
)

test('the board shows rollouts first, and what was stopped needs somebody; each leads to its place', async () => {
  const { page } = await openPage(browser, server.url)
  await settled(page)
  const needs = page.getByRole('region', { name: 'Needs somebody' })
  const need = (agent: string) => needs.getByRole('listitem').filter({ hasText: agent })
  await need('billing-bot').getByText('bea: the help desk is closed until Monday').waitFor()
  await need('search-bot').getByText('rollout aborted').waitFor()
  await page
    .getByRole('row', { name: /support-bot/ })
    .getByText('1.3.0 gets 10 % of the traffic')
    .waitFor()
  const agents = await page.getByRole('rowheader').allTextContents()
  expect(agents.slice(0, 2).toSorted()).toEqual(['billing-bot', 'support-bot'])
  expect(await axeViolations(page)).toEqual([])
  await need('search-bot').filter({ hasText: 'rollout aborted' }).getByRole('link', { name: 'Open' }).click()
  await headline(page)
    .getByText(/was aborted/)
    .waitFor()
})

test('the place says that a rollout runs although nothing is decided yet, with its steps', async () => {
  const [running] = story.cast
  await server.send('PUT /v1/policy', { min_candidate_runs: 100_000 })
  onTestFinished(async () => void (await server.send('PUT /v1/policy', { min_candidate_runs: null })))
  const { page } = await openPage(browser, `${server.url}/?view=place&agent=${running!.agent}&env=prod`)
  await page.getByRole('region', { name: 'Verdict' }).getByText('1.3.0 gets 10 % of the traffic').waitFor()
  await expect.poll(() => page.locator('.ramp [aria-current=step] strong').textContent()).toBe('10 %')
  await page.getByRole('button', { name: 'Pause…' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Details' }).click()
  await headline(page).getByText(SENTENCES.running).waitFor()
})

test('an aborted rollout is an incident: what was measured, what now, and who was informed', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=place&rollout=${story.rollouts.aborted}`)
  await settled(page)
  const latency = page
    .getByRole('table', { name: 'What the guard sees' })
    .getByRole('row', { name: /^Latency/ })
  await expect.poll(() => latency.textContent()).toMatch(/\+\d+\.\d % proven harm\+\d+\.\d %\+20\.0 %/)
  const now = page.getByRole('dialog').locator('section', { hasText: 'What now' })
  await now
    .getByText(
      /^Nothing has to be rolled back: 1\.2\.0 was live all the time, and all programs serve it from a minute after/,
    )
    .waitFor()
  await now.getByRole('list', { name: 'Who was informed' }).getByText('http://127.0.0.1:9/hook').waitFor()
  await expect
    .poll(() => page.getByRole('dialog').locator('.ramp li').allTextContents())
    .toEqual([
      expect.stringMatching(/^0 %done in 1 h/),
      expect.stringMatching(/^10 %done in 10 min/),
      expect.stringMatching(/^50 %aborted after \d+ min.* → \d+ runs of \d+ → \d+ sessions$/),
      '100 %never reached',
    ])
  await now.getByRole('link', { name: 'Compare as of the last step' }).click()
  await page
    .getByRole('region', { name: 'Verdict' })
    .getByText(/^At .*by the policy in force now/)
    .waitFor()
})

test('the history of a place has its rollouts, which open to what the audit log says of them', async () => {
  const { page } = await openPage(browser, `${server.url}/?view=place&agent=billing-bot&env=prod`)
  await settled(page)
  await page
    .getByRole('list', { name: 'What happened' })
    .getByRole('listitem')
    .getByRole('link', { name: 'Rollout paused' })
    .first()
    .click()
  await headline(page).waitFor()
  await sheet(page)
    .getByRole('list', { name: 'What happened: rollout' })
    .getByRole('listitem')
    .first()
    .getByText('the help desk is closed until Monday')
    .waitFor()
})

describe('a rollout', () => {
  test('is started from its place; what the service refuses is said at its field; its steps are seen', async () => {
    const { own, one } = await ownServer()
    const { page, problems } = await openPage(browser, `${own.url}/?view=place&agent=new-bot&env=prod`)
    await settled(page)
    await page.getByRole('button', { name: 'Start a rollout…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Start a rollout: new-bot · prod' })
    await dialog.getByText(/^Completes after about \d days at \d+(?:\.\d)? runs an hour/).waitFor()
    await expect.poll(() => dialog.getByRole('row', { name: /^0 %/ }).textContent()).toBe('0 %24habout 24 h')
    expect(await axeViolations(page)).toEqual([])
    const steps = dialog.getByLabel('Steps')
    await steps.fill('50%:1h,5%:1h')
    await dialog.getByText('steps must rise: 5%:1h comes after 50 %').waitFor()
    await expect.poll(() => steps.getAttribute('aria-invalid')).toBe('true')
    expect(
      await steps.evaluate(
        input => document.getElementById(input.getAttribute('aria-describedby')!)!.textContent,
      ),
    ).toContain('Invalid steps: steps must rise')
    await steps.fill(SHORT.steps)
    await dialog.getByLabel('Expires after').fill('1h')
    await dialog.getByText('This rollout would not complete within 1h').waitFor()
    await expect.poll(() => dialog.getByLabel('Expires after').getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => steps.getAttribute('aria-invalid')).toBe('false')
    // Sent although, the service says it again, and the focus is where it has to be mended.
    await dialog.getByLabel('Reason').fill('cheaper model')
    await dialog.getByLabel('Your name').fill('dora')
    await dialog.getByRole('button', { name: 'Start the rollout' }).click()
    await expect
      .poll(() => dialog.getByLabel('Expires after').evaluate(input => input === document.activeElement))
      .toBe(true)
    await dialog.getByLabel('Expires after').fill(SHORT.max_duration)
    await dialog.getByText(/^Completes after/).waitFor()
    await dialog.getByRole('button', { name: 'Start the rollout' }).click()
    await headline(page).getByText('1.3.0 gets 0 % of the sessions of new-bot in prod, step 1 of 3').waitFor()
    const id = new URL(page.url()).searchParams.get('rollout')!
    expect(await rolloutOf(own, id)).toMatchObject({ reason: 'cheaper model', started_by: 'dora' })

    await passed(own, [one], 60)
    await headline(page)
      .getByText('1.3.0 gets 10 % of the sessions of new-bot in prod, step 2 of 3')
      .waitFor()
    await expect
      .poll(() => page.getByRole('dialog').locator('.ramp [aria-current=step] strong').textContent())
      .toBe('10 %')
    await sheet(page).getByRole('link', { name: 'Rollout advanced' }).waitFor()
    expect(problems).toEqual([])
  })

  test('is paused, resumed and aborted with a reason by keyboard alone; the focus is on what came of it', async () => {
    const { own, one } = await ownServer()
    const id = await started(own, one)
    const { page, problems } = await openPage(browser, `${own.url}/?view=place&rollout=${id}`)
    await settled(page)
    await sheet(page).getByRole('button', { name: 'Pause…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Pause the rollout' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toBe('Pause…')
    await page.keyboard.press('Enter')
    await page.getByText('Proven harm still aborts it').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.type('the help desk is closed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('kim')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toMatch(/is paused at 0 % .*: kim: the help desk is closed/)

    for (const [button, words, state] of [
      ['Resume…', 'open again', /gets 0 % of the sessions/],
      [
        'Abort…',
        'we need the capacity',
        /was aborted at 0 % .*: kim: we need the capacity\. All get 1\.2\.0\./,
      ],
    ] as const) {
      await sheet(page).getByRole('button', { name: button }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: / the rollout$/ }).waitFor()
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
      await page.keyboard.type(words)
      await page
        .getByRole('dialog', { name: / the rollout$/ })
        .getByLabel('Reason')
        .press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect.poll(() => focused(page)).toMatch(state)
    }
    expect(await rolloutOf(own, id)).toMatchObject({ state: 'aborted', changed_by: 'kim', share: null })
    await expect.poll(() => sheet(page).getByRole('button', { name: 'Abort…' }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('that another user has ended meanwhile is not paused: a stale tab says what has come of it', async () => {
    const { own, one } = await ownServer()
    const id = await started(own, one)
    const { page } = await openPage(browser, `${own.url}/?view=place&rollout=${id}`)
    await settled(page)
    const other = await openOwnPage(browser, `${own.url}/?view=place&rollout=${id}`)
    onTestFinished(() => other.page.context().close())
    await sheet(page).getByRole('button', { name: 'Pause…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause the rollout' })
    await dialog.getByLabel('Reason').fill('a check of the logs')
    await dialog.getByLabel('Your name').fill('dora')
    // What the first page reads now is late.
    await page.route(`**/v1/rollouts/${id}`, route => route.abort())

    await sheet(other.page).getByRole('button', { name: 'Abort…' }).click()
    const acting = other.page.getByRole('dialog', { name: 'Abort the rollout' })
    await acting.getByLabel('Reason').fill('complaints')
    await acting.getByLabel('Your name').fill('eve')
    await other.page.getByRole('button', { name: 'Abort the rollout' }).click()
    await headline(other.page)
      .getByText(/was aborted at 0 %/)
      .waitFor()

    await dialog.getByRole('button', { name: 'Pause the rollout' }).click()
    await dialog.getByText(`Rollout ${id} is aborted: you can't pause it.`).waitFor()
    await page.unroute(`**/v1/rollouts/${id}`)
    await dialog.getByText('It has changed since you opened it:').waitFor()
    await dialog.getByText(/was aborted at 0 % .*: eve: complaints\./).waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Pause the rollout' }).isDisabled()).toBe(true)
    expect(await axeViolations(page)).toEqual([])
  })

  test('is requested and confirmed where the workspace requires approval', async () => {
    const { own } = await ownServer({ promotion_requires_approval: true })
    const { page } = await openPage(browser, `${own.url}/?view=place&agent=new-bot&env=prod`)
    await settled(page)
    await page.getByRole('button', { name: 'Start a rollout…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Start a rollout/ })
    await dialog.getByLabel('Reason').fill('cheaper model')
    await dialog.getByLabel('Your name').fill('ann')
    await dialog.getByLabel('Expires after').fill('30d')
    await dialog.getByText(/^Completes after/).waitFor()
    await dialog.getByRole('button', { name: 'Request approval' }).click()
    const request = page.getByRole('dialog', { name: 'Request for new-bot · prod' })
    await request
      .getByText(/cheaper model/)
      .first()
      .waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.goto(own.url)
    const needs = page.getByRole('region', { name: 'Needs somebody' })
    await needs.getByText('ann asks for a rollout: cheaper model').waitFor()
    await needs.getByRole('link', { name: 'Review: new-bot, prod' }).first().click()
    await request.getByRole('button', { name: 'Confirm and start…' }).click()
    const confirming = page.getByRole('dialog', { name: 'Confirm and start' })
    await confirming.getByText('You requested this yourself.').waitFor()
    await confirming.getByRole('button', { name: 'Change the name' }).click()
    await confirming.getByLabel('Your name').fill('bob')
    await confirming.getByLabel('Reason').fill('read the comparison')
    await confirming.getByRole('button', { name: 'Confirm and start' }).click()
    await headline(page).getByText('1.3.0 gets 0 % of the sessions of new-bot in prod').waitFor()
    const history = sheet(page).getByRole('list', { name: 'What happened: rollout' })
    await expect.poll(() => history.getByRole('listitem').count()).toBe(3)
    await page.getByText('Confirmed by').waitFor()
  })
})
