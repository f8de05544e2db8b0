import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actionsOf, verdictOf, openStory } from '../support/browser/web_decisions.ts'
import { axeViolations, connectBrowser } from '../support/browser/web_page.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

describe('deciding', () => {
  test('from the board to a blocked promotion, and on to a rollback, is on record', async () => {
    const { page, server, story, problems } = await openStory(browser)
    await verdictOf(page)
      .getByText(/^1\.2\.0 is blocked/)
      .waitFor()
    await page.getByText('⋯').click()
    await page.getByRole('button', { name: 'Record an attempt…' }).click()

    const dialog = page.getByRole('dialog', { name: 'Promote: support-bot · prod 1.1.0 → 1.2.0' })
    await dialog.getByText('Blocked by policy').waitFor()
    const attempt = dialog.getByRole('button', { name: 'Attempt it anyway' })
    await expect.poll(() => attempt.isDisabled()).toBe(true)
    await dialog.getByLabel('Reason').fill('marketing insists')
    await dialog.getByLabel('Your name').fill('dora')
    await attempt.click()
    await dialog.getByText('Blocked by policy: nothing has moved').waitFor()
    await expect
      .poll(() => dialog.textContent())
      .toContain('candidate cost_per_run_usd 0.014664 exceeds max 0.008000')
    expect(await axeViolations(page)).toEqual([])
    expect((await actionsOf(server))[0]).toMatchObject({
      action: 'promote',
      release_id: story.regression,
      policy_passed: false,
      reason: 'marketing insists',
      actor: 'dora',
    })
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

    await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
    const rollback = page.getByRole('dialog', { name: 'Roll back' })
    await rollback.getByText('Passes the policy').waitFor()
    await expect.poll(() => rollback.getByLabel('Back to').inputValue()).toBe(story.baseline)
    // As on the page: it passes, and is worse.
    const verdict = rollback.getByRole('region', { name: 'Verdict now' })
    await verdict.getByRole('heading', { name: 'Passes the policy, but slower' }).waitFor()
    await verdict.getByText(/^1\.0\.0 .*is slower, by about \d+ ms/).waitFor()
    await rollback.getByText('You act as dora').waitFor()
    await rollback.getByLabel('Reason').fill('complaints since noon')
    await rollback.getByRole('button', { name: 'Roll back now' }).click()
    await rollback.getByText('Rolled back').waitFor()
    await rollback.getByRole('link', { name: /^act_/ }).click()
    await page
      .getByRole('dialog', { name: 'Rollback' })
      .getByText('complaints since noon', { exact: true })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Board' }).click()
    await page
      .getByRole('row', { name: /support-bot/ })
      .getByText('1.0.0')
      .waitFor()
    expect(problems).toEqual([])
  })

  test('a promotion that passes moves the pointer', async () => {
    const { page, server, story } = await openStory(browser)
    const body = { release_id: story.baseline, environment: 'prod', window: '24h', reason: 'back' }
    await server.send('POST /v1/rollback', body)
    await page.goto(
      `${server.url}/?view=board&decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${story.candidate}`,
    )
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Passes the policy').waitFor()
    await dialog.getByLabel('Reason').fill('once more')
    await dialog.getByLabel('Your name').fill('dora')
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click()
    await dialog.getByText('Promoted', { exact: true }).waitFor()
    const result = dialog.locator('.result > p').first()
    await expect.poll(() => result.textContent()).toBe('Promoted1.0.0 → 1.1.0')
    expect(await result.evaluate(element => element === document.activeElement)).toBe(true)
    expect(await axeViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect((await actionsOf(server))[0]).toMatchObject({ release_id: story.candidate, policy_passed: true })
  })

  test('goes by keyboard alone; Escape closes and the focus is where it was', async () => {
    const { page, server } = await openStory(browser)
    const button = verdictOf(page).getByRole('button', { name: 'Roll back…' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Passes the policy').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await button.evaluate(element => element === document.activeElement)).toBe(true)

    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Passes the policy').waitFor()
    const isReason = (element: Element): boolean => element === document.activeElement
    await expect.poll(() => page.getByRole('dialog').getByLabel('Reason').evaluate(isReason)).toBe(true)
    await page.keyboard.type('by keyboard')
    const isOutside = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.closest('dialog') === null && document.hasFocus())
    await page.keyboard.press('Tab')
    await page.keyboard.type('kim')
    for (let step = 0; step < 2; step++) {
      await page.keyboard.press('Tab')
      expect(await isOutside()).toBe(false)
    }
    await page.keyboard.press('Enter')
    await page.getByText('Rolled back').waitFor()
    expect((await actionsOf(server))[0]).toMatchObject({ reason: 'by keyboard', actor: 'kim' })
  })

  test('says what the service refuses, and sends nothing twice where an answer was lost', async () => {
    const { page, server } = await openStory(browser)
    const before = (await actionsOf(server)).length
    await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Passes the policy').waitFor()
    await dialog.getByLabel('Reason').fill('three in the morning')
    await dialog.getByLabel('Your name').fill('dora')
    await page.route('**/v1/confidence?*', () => undefined)
    await loseAnswer(page, '**/v1/rollback', 'three in the morning')
    await dialog.getByRole('button', { name: 'Roll back now' }).click()
    await dialog.getByText('send it again, it counts once').waitFor()
    // What is live now is what was sent: to review that must not make it another decision.
    await dialog.getByRole('button', { name: 'Review again' }).click()
    await page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.0.0' }).waitFor()
    await dialog.getByRole('button', { name: 'Roll back now' }).click()
    await dialog.getByText('Rolled back').waitFor()
    expect((await actionsOf(server)).length).toBe(before + 1)
  })

  test('a first promotion whose answer was lost is sent as it was, and counts once', async () => {
    const { page, server } = await openStory(
      browser,
      '?decide=promote&decide_agent=support-bot&decide_env=staging',
    )
    const before = (await actionsOf(server)).length
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This is the first promotion here.').waitFor()
    await dialog.getByLabel('Release').selectOption({ index: 1 })
    await dialog.getByLabel('Reason').fill('a new place')
    await dialog.getByLabel('Your name').fill('dora')
    await loseAnswer(page, '**/v1/promote', 'a new place')
    await dialog.getByRole('button', { name: 'Promote' }).click()
    await dialog.getByText('send it again, it counts once').waitFor()
    await dialog.getByText(/^Live is now 1\.\d\.0 \(dora, /).waitFor()
    await dialog.getByRole('button', { name: /Promote|Attempt/ }).click()
    await dialog.getByText('Promoted', { exact: true }).waitFor()
    expect((await actionsOf(server)).length).toBe(before + 1)
  })

  test('is not made over a release that came live since one looked; Review again takes it up', async () => {
    const { page, server, story, problems } = await openStory(browser)
    await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll back' })
    await dialog.getByText('Passes the policy').waitFor()
    await dialog.getByLabel('Reason').fill('errors since noon')
    await dialog.getByLabel('Your name').fill('dora')
    await server.send('PUT /v1/policy', { require_high_diff_confidence: false })
    const body = { release_id: story.regression, environment: 'prod', window: '24h', reason: 'in a hurry' }
    await server.send('POST /v1/promote', { ...body, actor: 'eve' })
    const before = (await actionsOf(server)).length

    await dialog.getByRole('button', { name: 'Roll back now' }).click()
    await dialog.getByText(/^Live is now 1\.2\.0 \(eve, (?:just now|\d+ s ago)\)/).waitFor()
    await page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.1.0 → 1.0.0' }).waitFor()
    expect((await actionsOf(server)).length).toBe(before)
    expect(await axeViolations(page)).toEqual([])

    await dialog.getByRole('button', { name: 'Review again' }).click()
    await page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.2.0 → 1.0.0' }).waitFor()
    await expect.poll(() => dialog.getByText(/^Live is now/).count()).toBe(0)
    await expect.poll(() => dialog.getByLabel('Reason').inputValue()).toBe('errors since noon')
    await dialog.getByText('Passes the policy').waitFor()
    await dialog.getByRole('button', { name: 'Roll back now' }).click()
    await dialog.getByText('Rolled back').waitFor()
    await expect.poll(() => dialog.locator('.result').textContent()).toContain('1.2.0 → 1.0.0')
    expect((await actionsOf(server))[0]).toMatchObject({
      action: 'rollback',
      baseline_release_id: story.regression,
      release_id: story.baseline,
    })
    expect(problems).toEqual([])
  })
})

/** The first answer to what has these words never comes. */
async function loseAnswer(page: Page, url: string, words: string): Promise<void> {
  let lost = 0
  await page.route(url, async route => {
    if (!route.request().postData()!.includes(words) || lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    return route.abort()
  })
}
