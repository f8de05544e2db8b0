import type { Browser, Page } from 'playwright-core'
import { fillBoard } from '../../../test/support/browser/web_scale.ts'
import type { WebServer } from '../../../test/support/browser/web_server.ts'
import { type Story, artifactOf, storyServer } from '../../../test/support/browser/web_story.ts'

/** What it took to do a job: pointer clicks, keys, and the seconds until the page showed what was wanted. */
export interface Done {
  readonly job: string
  readonly clicks: number
  /** The most clicks that it may take. */
  readonly most: number
  readonly keys: number
  readonly seconds: number
}

/** The pages as their scripted user has them: what is clicked and typed is counted. */
interface Hands {
  readonly page: Page
  readonly server: WebServer
  readonly story: Story
  readonly click: (role: Role, name: string | RegExp) => Promise<void>
  readonly type: (text: string) => Promise<void>
  readonly press: (key: string) => Promise<void>
  /** Waits until the page says so. */
  readonly sees: (text: string | RegExp) => Promise<void>
}

type Role = 'link' | 'button' | 'option' | 'textbox'

const SCREEN = { width: 1280, height: 800 }
const PROMOTE = 'promote with an approval'

/** The jobs by which the pages are judged, each from the board that one has open. */
const JOBS: readonly (readonly [job: string, most: number, work: (hands: Hands) => Promise<void>])[] = [
  [
    'see what is live in prod',
    0,
    async ({ sees }) => {
      await sees('1.1.0')
    },
  ],
  [
    'see what changed in the last day',
    1,
    async ({ click, sees }) => {
      await click('link', 'Log')
      await sees('Promotion blocked')
    },
  ],
  [
    'see whether the service is well and runs arrive',
    1,
    async ({ click, sees }) => {
      await click('link', 'Settings')
      await sees(/^All well/)
    },
  ],
  [
    'see whether it is safe, and who is hit',
    1,
    async ({ click, sees }) => {
      await click('link', 'Open: support-bot, prod')
      await sees(/is blocked: /)
      await sees(/^The (?:slowest|most expensive) runs/)
    },
  ],
  [
    'see why it is blocked, and what would pass',
    1,
    async ({ page, click, sees }) => {
      await click('link', 'Open: support-bot, prod')
      await sees(/^up to \$0\.008/)
      const { y, height } = (await page.getByRole('table', { name: 'Limits' }).boundingBox())!
      if (y + height > SCREEN.height) throw new Error(`the limits end at ${Math.round(y + height)} px`)
    },
  ],
  [
    'find the run behind a regression',
    2,
    async ({ page, click, sees }) => {
      await click('link', 'Open: support-bot, prod')
      await sees(/^The (?:slowest|most expensive) runs/)
      await click('link', /^rel_\w+-\d+$/)
      await page.getByRole('dialog', { name: 'Run' }).waitFor()
    },
  ],
  [
    'see who decided what, on which evidence',
    2,
    async ({ page, click, sees }) => {
      await click('link', 'Log')
      await click('link', 'Promotion blocked')
      await page.getByRole('region', { name: 'Verdict on record' }).waitFor()
      await sees('nicer answers')
    },
  ],
  [
    PROMOTE,
    4,
    async ({ page, server, click, type, press, sees }) => {
      await click('link', 'support-bot')
      await click('button', 'Ask for approval of 1.2.0…')
      await sees(/^Passes the policy/)
      await type('better answers')
      await press('Tab')
      await type('ann')
      await press('Enter')
      await sees(/^prq_/)
      // Somebody else.
      await page.evaluate(() => localStorage.clear())
      await page.goto(server.url)
      await click('link', 'Review: support-bot, prod')
      await click('button', 'Confirm…')
      await type('looks good')
      await press('Tab')
      await type('bob')
      await press('Enter')
      await sees('Promoted')
    },
  ],
  [
    'roll back',
    4,
    async ({ click, type, press, sees }) => {
      await click('link', 'Open: support-bot, prod')
      await click('button', 'Roll back…')
      await sees(/Passes the policy/)
      await type('errors since noon')
      await press('Tab')
      await type('dora')
      await press('Enter')
      await sees('1.1.0 → 1.0.0')
    },
  ],
  [
    'reject a request',
    2,
    async ({ click, type, press, sees }) => {
      await click('link', 'Review: support-bot, prod')
      await click('button', 'Reject…')
      await type('slower')
      await press('Tab')
      await type('cho')
      await press('Enter')
      await sees(/by cho: slower/)
    },
  ],
  [
    'set a limit, once its effect on past decisions is seen',
    4,
    async ({ page, click, press, type, sees }) => {
      await click('link', 'Settings')
      await click('link', 'Policy')
      await click('button', 'Edit the policy…')
      await page.getByLabel('Latency, mean, at most (ms)').focus()
      await press('Control+a')
      await type('700')
      await press('Enter')
      await sees(/Would have changed/)
      await page.getByLabel('Why').focus()
      await type('faster')
      await page.getByLabel('Your name').focus()
      await type('ann')
      await click('button', 'Set this policy')
      await sees('700 ms')
    },
  ],
  [
    'see what a receiver answered',
    3,
    async ({ click, sees }) => {
      await click('link', 'Settings')
      await click('link', 'Webhooks')
      await click('link', /deploys/)
      await sees(/answered 40\d/)
    },
  ],
  [
    'add a missing price',
    1,
    async ({ page, click, press, type }) => {
      await click('link', 'Add the price: courier, prod')
      await page.getByLabel('Input', { exact: true }).focus()
      await type('0.002')
      await press('Tab')
      await type('0.008')
      await page.getByLabel('Your name').focus()
      await type('kim')
      await press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    },
  ],
  [
    'verify the ledger',
    0,
    async ({ page, press, type, sees }) => {
      await press('/')
      await page.locator('input:focus').waitFor()
      await type('verify')
      await press('Enter')
      await sees(/chain holds: all/)
    },
  ],
  [
    'share what one sees',
    2,
    async ({ page, click }) => {
      await click('link', 'Open: support-bot, prod')
      await click('button', 'Copy a link to this moment')
      await page.getByRole('button', { name: 'Copied' }).waitFor()
    },
  ],
  [
    'find a run by its trace',
    0,
    async ({ page, server, story, press, sees }) => {
      const query = `release_id=${story.candidate}&window=24h&environment=prod&limit=1`
      const { events } = (await (await fetch(`${server.url}/v1/runs?${query}`)).json()) as {
        events: { run_id: string; request: { trace_id: string } }[]
      }
      await press('/')
      await page.locator('input:focus').fill(events[0]!.request.trace_id)
      await page.getByRole('option', { name: /^Run/ }).waitFor()
      await press('Enter')
      await sees(events[0]!.run_id)
    },
  ],
]

const SERVERS: Readonly<Record<string, typeof withMore>> = {
  'reject a request': withRequest,
  [PROMOTE]: withApproval,
}

export async function doJobs(browser: Browser): Promise<Done[]> {
  const done: Done[] = []
  for (const [job, most, work] of JOBS) {
    const { server, story } = await (SERVERS[job] ?? withMore)()
    const context = await browser.newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
      viewport: SCREEN,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(server.url)
    await page.getByRole('row', { name: /support-bot/ }).waitFor()
    const hands = handsOf(page, server, story)
    const start = performance.now()
    try {
      await work(hands)
    } catch (error) {
      throw new Error(`${job}: ${(error as Error).message}`, { cause: error })
    }
    const { clicks, keys } = hands
    done.push({ job, clicks, most, keys, seconds: (performance.now() - start) / 1000 })
    await context.close()
    await server.close()
  }
  return done
}

/** Several agents, a release without prices, and a receiver that takes nothing. */
async function withMore(): Promise<{ server: WebServer; story: Story }> {
  const { server, story } = await storyServer()
  const { send } = server
  await fillBoard(server, 20)
  const artifact = artifactOf('courier', '2.0.0') as { spec: Record<string, object> }
  const spec = { ...artifact.spec, pricing_reference: { provider: 'openai', pricing_version: 'none' } }
  const release = { artifact: { ...artifact, spec }, checksum: 'cd'.repeat(32), environment: 'prod' }
  await send('POST /v1/releases', release)
  // No route of its own takes a delivery.
  await send('POST /v1/webhooks', { url: `${server.url}/hooks/deploys`, events: ['promote.blocked'] })
  const body = { release_id: story.regression, environment: 'prod', window: '24h', actor: 'bob' }
  await send('POST /v1/promote', { ...body, reason: 'again' })
  return { server, story }
}

/** Promotions take a second pair of eyes, and the newest release passes. */
async function withApproval(): Promise<{ server: WebServer; story: Story }> {
  const { server, story } = await storyServer({ workspace: { promotion_requires_approval: true } })
  await server.send('PUT /v1/policy', { policy_id: 'none', require_high_diff_confidence: false })
  return { server, story }
}

/** A promotion that waits. */
async function withRequest(): Promise<{ server: WebServer; story: Story }> {
  const { server, story } = await storyServer({ workspace: { promotion_requires_approval: true } })
  const body = { release_id: story.baseline, environment: 'prod', window: '7d', actor: 'ann' }
  await server.send('POST /v1/promote/request', { ...body, reason: 'the old one was better' })
  return { server, story }
}

function handsOf(page: Page, server: WebServer, story: Story): Hands & { clicks: number; keys: number } {
  const hands = {
    page,
    server,
    story,
    clicks: 0,
    keys: 0,
    click: async (role: Role, name: string | RegExp) => {
      hands.clicks += 1
      await page
        .getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) })
        .first()
        .click()
    },
    type: async (text: string) => {
      hands.keys += text.length
      await page.keyboard.type(text)
    },
    press: async (key: string) => {
      hands.keys += 1
      await page.keyboard.press(key)
    },
    sees: (text: string | RegExp) => page.getByText(text).locator('visible=true').first().waitFor(),
  }
  return hands
}
