import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { actionsOf, verdictOf, openStory } from '../support/browser/web_decisions.ts'
import { connectBrowser, openOwnPage, openPage } from '../support/browser/web_page.ts'
import { webServer } from '../support/browser/web_server.ts'
import { artifactOf } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

test('two people at once: what the other one promotes is said before anything is sent', async () => {
  const { page, server, story } = await openStory(browser)
  await server.send('PUT /v1/policy', { require_high_diff_confidence: false })
  await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back' })
  await dialog.getByLabel('Reason').fill('errors since noon')
  const other = await openOwnPage(
    browser,
    `${server.url}/?decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${story.regression}`,
  )
  onTestFinished(() => other.page.context().close())
  const theirs = other.page.getByRole('dialog')
  await theirs.getByLabel('Reason').fill('in a hurry')
  await theirs.getByLabel('Your name').fill('eve')
  await theirs.getByRole('button', { name: /^Promote although/ }).click()
  await theirs.getByText('Promoted', { exact: true }).waitFor()
  await dialog.getByText(/^Live is now 1\.2\.0 \(eve, /).waitFor()
  await page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.1.0 → 1.0.0' }).waitFor()
  await dialog.getByRole('button', { name: 'Review again' }).click()
  await page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.2.0 → ' }).waitFor()
})

test('what was promoted is watched from where that is said', async () => {
  const { page, server, story } = await openStory(browser)
  const body = { release_id: story.baseline, environment: 'prod', window: '24h', reason: 'back' }
  await server.send('POST /v1/rollback', body)
  await page.goto(
    `${server.url}/?decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${story.candidate}`,
  )
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Passes the policy').waitFor()
  await dialog.getByLabel('Reason').fill('once more')
  await dialog.getByLabel('Your name').fill('dora')
  await dialog.getByRole('button', { name: 'Promote', exact: true }).click()
  await dialog.getByRole('button', { name: 'Watch it for 2 h' }).click()
  await page.getByRole('dialog').getByText('dora').first().waitFor()
})

test('a rollback that the policy blocks is forced where the workspace allows it', async () => {
  const { page, server, story } = await openStory(browser, undefined, { allow_forced_rollback: true })
  await server.send('PUT /v1/policy', { max_latency_ms: 1 })
  await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back' })
  await dialog.getByText('Blocked by policy').waitFor()
  await dialog.getByLabel('Roll back without asking the policy').check()
  await dialog.getByLabel('Reason').fill('the policy is wrong')
  await dialog.getByLabel('Your name').fill('dora')
  await dialog.getByRole('button', { name: 'Force the rollback' }).click()
  await dialog.getByText('Rolled back, past the policy').waitFor()
  expect((await actionsOf(server))[0]).toMatchObject({ release_id: story.baseline, forced: true })
})

test('where the workspace forbids it, nothing offers to force a rollback', async () => {
  const { page, server } = await openStory(browser)
  await server.send('PUT /v1/policy', { max_latency_ms: 1 })
  await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back' })
  await dialog.getByText('Blocked by policy').waitFor()
  expect(await dialog.getByRole('checkbox').count()).toBe(0)
})

test.each([
  ['at 1280 × 720', { width: 1280, height: 720 }],
  ['on a phone', { width: 390, height: 844 }],
  ['at 200 %', { width: 640, height: 400 }],
])('whose it is stays in sight, with the button, while the reason is written: %s', async (_, viewport) => {
  const { page } = await openStory(browser)
  await page.setViewportSize(viewport)
  await verdictOf(page).getByRole('button', { name: 'Roll back…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back: support-bot · prod 1.1.0 → 1.0.0' })
  await dialog.getByText('Passes the policy').waitFor()
  await dialog.getByLabel('Reason').fill('INC-3001 slow')
  for (const shown of [dialog.getByRole('heading', { level: 2 }), dialog.getByText('Roll back now')]) {
    const { y, height } = (await shown.boundingBox())!
    expect([y >= 0, y + height <= viewport.height]).toEqual([true, true])
  }
  const title = await dialog.getByRole('heading', { level: 2 }).evaluate(element => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })
  expect(title).toBe(true)
})

test('who may only read sees at once that a first promotion has nothing to be compared with', async () => {
  const server = await webServer({ token: 'secret', readToken: 'look' })
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, server.url)
  await page.evaluate(() => sessionStorage.setItem('service-token', 'look'))
  const artifact = artifactOf('new-bot', '1.0.0')
  const release = { artifact, checksum: 'a'.repeat(64), environment: 'prod' }
  const { release_id } = await server.send('POST /v1/releases', release)
  const query = `decide=promote&decide_agent=new-bot&decide_env=prod&decide_release=${release_id}`
  await page.goto(`${server.url}/?${query}`)
  await page.getByText('Nothing is promoted here, so the policy does not apply.').waitFor()
})

test('a first promotion into a freeze says the freeze alone, and not that a policy blocks', async () => {
  const freeze = [{ environment: 'staging', from: '2020-01-01', to: '2040-01-01', reason: 'load test' }]
  const { page } = await openStory(browser, '?decide=promote&decide_agent=support-bot&decide_env=staging', {
    freeze,
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Release').selectOption({ index: 1 })
  await dialog
    .getByText(/staging is frozen from .*load test/)
    .first()
    .waitFor()
  await dialog.getByText('This is blocked now. An attempt goes on record and moves nothing.').waitFor()
  expect(await dialog.textContent()).not.toMatch(/policy does not apply|policy blocks/)
})

test('a name that is changed in one tab counts in the other', async () => {
  const { page, server } = await openStory(browser, '?view=settings&part=access')
  const other = await page.context().newPage()
  onTestFinished(() => other.close())
  await other.goto(`${server.url}/?view=settings&part=access`)
  await other.getByLabel(/name/i).first().fill('kim')
  await page.locator('.sidebar').getByText('kim').waitFor()
})
