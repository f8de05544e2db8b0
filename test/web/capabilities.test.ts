import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  OF_COLOURS,
  OF_LAYOUT,
  axeViolations,
  connectBrowser,
  openPage,
  settled,
} from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { type Story, storyServer } from '../support/browser/web_story.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

interface Scene {
  readonly page: Page
  readonly server: WebServer
  readonly story: Story
  readonly diff: string
  readonly problems: string[]
}

/** A candidate with capabilities that the live release lacks, where the policy blocks nothing but that. */
async function widerScene(
  query: (story: Story) => string = () => '',
  workspace: Record<string, unknown> = {},
): Promise<Scene> {
  const { server, story } = await storyServer({ workspace })
  onTestFinished(() => server.close())
  await server.send('PUT /v1/policy', {
    policy_id: 'power',
    require_high_diff_confidence: false,
    capabilities: { widened: 'block' },
  })
  const { candidate, regression } = story
  const diff = `?view=place&agent=support-bot&env=prod&baseline=${candidate}&candidate=${regression}`
  const { page, problems } = await openPage(browser, `${server.url}/${query(story) || diff}`)
  await settled(page)
  return { page, server, story, diff, problems }
}

const section = (page: Page) => page.getByRole('region', { name: 'Capabilities' })
const acknowledgeDialog = (page: Page) => page.getByRole('dialog', { name: 'Acknowledge new capabilities' })

async function acknowledgements(server: WebServer) {
  const response = await fetch(`${server.url}/v1/acknowledgements`)
  return ((await response.json()) as { acknowledgements: Record<string, unknown>[] }).acknowledgements
}

describe('a release with new capabilities, where the policy blocks that', () => {
  test('is acknowledged on the page of its place, by the keyboard, and promoted then', async () => {
    const { page, server, story, problems } = await widerScene()
    await section(page).getByText('The policy blocks a promotion until somebody acknowledges this.').waitFor()
    await page
      .getByRole('region', { name: 'Verdict' })
      .getByText(/^1\.2\.0 is blocked: /)
      .waitFor()
    const button = section(page).getByRole('button', { name: 'Acknowledge…' })
    await button.focus()
    await page.keyboard.press('Enter')

    const dialog = acknowledgeDialog(page)
    await dialog.getByText('may now send: MCP server').waitFor()
    const isReason = (element: Element): boolean => element === document.activeElement
    await expect.poll(() => dialog.getByLabel('Reason').evaluate(isReason)).toBe(true)
    await expect
      .poll(() => dialog.getByRole('button', { name: 'Acknowledge', exact: true }).isDisabled())
      .toBe(true)
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await button.evaluate(isReason)).toBe(true)
    expect(await acknowledgements(server)).toEqual([])

    await page.keyboard.press('Enter')
    await expect.poll(() => dialog.getByLabel('Reason').evaluate(isReason)).toBe(true)
    await page.keyboard.type('mail is reviewed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('kim')
    for (let step = 0; step < 2; step++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await section(page).getByText('kim acknowledged this').waitFor()
    expect(await acknowledgements(server)).toMatchObject([
      { release_id: story.regression, environment: 'prod', reason: 'mail is reviewed', actor: 'kim' },
    ])

    await page.getByRole('button', { name: 'Promote 1.2.0…' }).click()
    const promoting = page.getByRole('dialog', { name: 'Promote: support-bot · prod 1.1.0 → 1.2.0' })
    await promoting.getByText('Passes the policy').waitFor()
    await expect.poll(() => promoting.textContent()).toContain('kim acknowledged that')
    await page.keyboard.press('Escape')
    await expect.poll(() => section(page).getByRole('button', { name: 'Acknowledge…' }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('is blocked in the dialog that promotes it, before and after an attempt, which leads to the same', async () => {
    const { page, story } = await widerScene(
      ({ regression }) =>
        `?view=board&decide=promote&decide_agent=support-bot&decide_env=prod&decide_release=${regression}`,
    )
    const promoting = page.getByRole('dialog', { name: 'Promote: support-bot · prod 1.1.0 → 1.2.0' })
    const link = promoting.getByRole('link', { name: 'See the new capabilities, and acknowledge them' })
    await link.waitFor()
    await promoting.getByLabel('Reason').fill('nicer answers')
    await promoting.getByLabel('Your name').fill('kim')
    await promoting.getByRole('button', { name: 'Attempt it anyway' }).click()
    await promoting.getByText('Blocked by policy: nothing has moved').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await link.click()
    await acknowledgeDialog(page).getByText('may now hand work to agent').waitFor()
    const { searchParams } = new URL(page.url())
    expect(['view', 'baseline', 'candidate'].map(name => searchParams.get(name))).toEqual([
      'place',
      story.candidate,
      story.regression,
    ])
    await page.goBack()
    await expect.poll(() => acknowledgeDialog(page).count()).toBe(0)
  })

  test('says who may acknowledge it where that takes another one, and what follows', async () => {
    const { page, server } = await widerScene(undefined, { approval_by_another: true })
    const who = 'Somebody other than the person who promotes it must do this (approval_by_another).'
    await section(page).getByText(who).waitFor()
    await section(page).getByRole('button', { name: 'Acknowledge…' }).click()
    const dialog = acknowledgeDialog(page)
    await dialog.getByText(who).waitFor()
    await dialog.getByLabel('Reason').fill('mail is reviewed')
    await dialog.getByLabel('Your name').fill('kim')
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    // Who wants to promote it needs another one's still.
    await section(page).getByText('kim acknowledged this').waitFor()
    await section(page).getByRole('button', { name: 'Acknowledge…' }).waitFor()
    expect(await acknowledgements(server)).toHaveLength(1)
  })

  test('says what is wrong where something else is live by now, and keeps what was written', async () => {
    const { page, server, story } = await widerScene()
    await section(page).getByRole('button', { name: 'Acknowledge…' }).click()
    const dialog = acknowledgeDialog(page)
    await dialog.getByLabel('Reason').fill('mail is reviewed')
    await dialog.getByLabel('Your name').fill('kim')
    const place = { environment: 'prod', window: '24h', reason: 'back', actor: 'ann' }
    await server.send('POST /v1/rollback', { release_id: story.baseline, ...place })
    await dialog.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await page.getByText(`you compared with ${story.candidate}`).waitFor()
    await expect.poll(() => dialog.getByLabel('Reason').inputValue()).toBe('mail is reviewed')
    expect(await acknowledgements(server)).toEqual([])
  })

  test('reads well on a narrow screen and in the dark', async () => {
    const { page, server, diff } = await widerScene()
    await openPage(browser, `${server.url}/${diff}`, {
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
    })
    await settled(page)
    await section(page).getByRole('button', { name: 'Acknowledge…' }).click()
    await acknowledgeDialog(page).getByLabel('Reason').waitFor()
    const isWide = (): Promise<boolean> =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        const dialog = document.querySelector('dialog')!
        return scrollWidth > clientWidth || dialog.scrollWidth > dialog.clientWidth
      })
    expect(await isWide()).toBe(false)
    expect(await axeViolations(page, OF_LAYOUT)).toEqual([])
    expect(await axeViolations(page, OF_COLOURS)).toEqual([])
  })
})

test('a release shows its capabilities, and what its runs did beyond them', async () => {
  const { page } = await widerScene(({ candidate }) => `?view=place&release=${candidate}`)
  const tools = page.getByRole('table', { name: 'Tools', exact: true })
  await tools.getByRole('row', { name: /^open_ticket the agent's own writes tickets\.write/ }).waitFor()
  await page
    .getByRole('table', { name: /does not declare/ })
    .getByRole('row', { name: /^run_shell/ })
    .waitFor()
})

test('the board names a live model that ends soon', async () => {
  const { page } = await widerScene(() => '?view=board')
  await page
    .getByRole('region', { name: 'Needs somebody' })
    .getByText(/gpt-4\.1-mini\s+ends in \d+ days/)
    .waitFor()
})
