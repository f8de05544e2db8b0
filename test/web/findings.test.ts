import type { Board } from '../../src/models/answers/board.ts'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { axeViolations, connectBrowser, openPage, settled } from '../support/browser/web_page.ts'
import type { WebServer } from '../support/browser/web_server.ts'
import { type Story, artifactOf, storyServer } from '../support/browser/web_story.ts'

/** What reviewers of the pages ran into, where no other test looks for it; `findings.ts` lists all of it. */
let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

const HOUR = 3_600_000
const PLACE = { environment: 'prod', window: '24h' }

async function opened(): Promise<{
  server: WebServer
  story: Story
  open: (query: string, shown?: Parameters<typeof openPage>[2]) => Promise<Page>
}> {
  const { server, story } = await storyServer()
  onTestFinished(() => server.close())
  const open = async (query: string, shown = {}): Promise<Page> => {
    const { page } = await openPage(browser, `${server.url}/${query}`, shown)
    await page.mouse.move(0, 0)
    await settled(page)
    return page
  }
  return { server, story, open }
}

async function register({ send }: WebServer, agent: string, version: string): Promise<string> {
  const body = { artifact: artifactOf(agent, version), checksum: 'cd'.repeat(32), environment: 'prod' }
  return (await send('POST /v1/releases', body)).release_id as string
}

/** Two releases of an agent, the first of which is live: their ids. */
async function pairOf(server: WebServer, agent: string): Promise<readonly [before: string, after: string]> {
  const before = await register(server, agent, '1.0.0')
  await server.send('POST /v1/promote', { ...PLACE, release_id: before, reason: 'first', first: true })
  return [before, await register(server, agent, '1.1.0')]
}

interface Runs {
  readonly tenant: string
  readonly runs: number
  readonly errors: number
  readonly task?: string
  /** How many times as long they take. */
  readonly slowness?: number
}

/** Runs of a release, evenly over some hours that ended so many hours ago. */
async function ingest(
  { send }: WebServer,
  agent_id: string,
  release_id: string,
  groups: readonly Runs[],
  model = 'gpt-4.1',
  [hours, endedAgo]: readonly [hours: number, endedAgo: number] = [20, 0],
): Promise<void> {
  const events = groups.flatMap(({ tenant, runs, errors, task = 'answer', slowness = 1 }) =>
    Array.from({ length: runs }, (_, index) => ({
      timestamp: new Date(Date.now() - endedAgo * HOUR - ((index + 1) / runs) * hours * HOUR).toISOString(),
      agent_id,
      release_id,
      run_id: `${release_id}-${tenant}-${task}-${index}`,
      tenant_id: tenant,
      task_id: task,
      environment: 'prod',
      metrics: {
        success: Math.floor(((index + 1) * errors) / runs) === Math.floor((index * errors) / runs),
        latency_ms: slowness * (800 + ((index * 37) % 200)),
      },
      usage: {
        model: { provider: 'openai', model, input_tokens: 900 + (index % 90), output_tokens: 200 },
      },
    })),
  )
  for (let start = 0; start < events.length; start += 1000) {
    const answer = await send('POST /v1/events', { events: events.slice(start, start + 1000) })
    expect(answer.inserted, JSON.stringify(answer)).toBe(Math.min(1000, events.length - start))
  }
}

test('a tenant that is worse off is in the verdict, in the dialog and on the board, although all together are not', async () => {
  const { server, open } = await opened()
  await server.send('PUT /v1/policy', { max_error_rate: 0.1 })
  const [before, after] = await pairOf(server, 'shop-bot')
  const others = { tenant: 'acme', runs: 2400 }
  await ingest(server, 'shop-bot', before, [
    { ...others, errors: 100 },
    { tenant: 'globex', runs: 200, errors: 2 },
  ])
  await ingest(server, 'shop-bot', after, [
    { ...others, errors: 80 },
    { tenant: 'globex', runs: 200, errors: 34 },
  ])
  const page = await open('?view=place&agent=shop-bot&env=prod')
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await verdict.getByText(/^1\.1\.0 can be promoted: .*tenant globex/).waitFor()
  await page.getByRole('button', { name: 'Promote 1.1.0…' }).click()
  const now = page.getByRole('dialog').getByRole('region', { name: 'Verdict now' })
  await expect.poll(() => now.textContent()).toMatch(/but worse for.*tenant globex/)
  await expect.poll(() => now.getAttribute('class')).toContain('warn')
  await page.getByRole('dialog').getByRole('button', { name: 'Promote although worse for' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.goto(`${server.url}/?find=shop-bot`)
  const row = page.getByRole('row', { name: /shop-bot/ })
  await expect
    .poll(() => row.getByRole('link', { name: '1.1.0 can be promoted' }).getAttribute('title'))
    .toMatch(/tenant globex/)
})

test('who is worse off by no more than all together is not named: neither in the verdict, nor in the dialog, nor on record', async () => {
  const { server, open } = await opened()
  await server.send('PUT /v1/policy', {
    max_segment_error_rate_increase: 0.5,
    require_high_diff_confidence: false,
  })
  const [before, after] = await pairOf(server, 'returns-bot')
  const runsOf = (returns: number): Runs[] =>
    ['acme', 'globex', 'initech', 'umbrella'].flatMap(tenant =>
      ['answer', 'refund', 'returns'].map(task => {
        return { tenant, task, runs: 100, errors: 0, slowness: task === 'returns' ? returns : 1 }
      }),
    )
  await ingest(server, 'returns-bot', before, runsOf(1))
  await ingest(server, 'returns-bot', after, runsOf(4))
  const page = await open('?view=place&agent=returns-bot&env=prod')
  const named = async (region: Locator): Promise<string[]> => {
    await expect.poll(() => region.textContent()).toContain('returns')
    return (await region.innerText()).match(/\b(?:tenant|task) \w+/g) ?? []
  }
  expect(await named(page.getByRole('region', { name: 'Verdict' }))).toEqual(['task returns'])
  await page.getByRole('button', { name: 'Promote 1.1.0…' }).click()
  const dialog = page.getByRole('dialog')
  expect(await named(dialog.getByRole('region', { name: 'Verdict now' }))).toEqual(['task returns'])
  await dialog.getByLabel('Reason').fill('returns are rare')
  await dialog.getByLabel('Your name').fill('dora')
  await dialog.getByLabel('Your name').press('Enter')
  await dialog.getByText('Promoted', { exact: true }).waitFor()
  const [{ action_id }] = (
    (await (await fetch(`${server.url}/v1/actions?agent=returns-bot&limit=1`)).json()) as {
      actions: [{ action_id: string }]
    }
  ).actions
  await page.goto(`${server.url}/?view=log&action=${action_id}`)
  expect(await named(page.getByRole('region', { name: 'Verdict on record' }))).toEqual(['task returns'])
})

test('the board judges by the window that the dialog opens on, and says the same', async () => {
  const { server, open } = await opened()
  const [before, after] = await pairOf(server, 'night-bot')
  const all = [{ tenant: 'acme', runs: 900, errors: 9 }]
  await ingest(server, 'night-bot', before, all, 'gpt-4.1', [10, 30])
  await ingest(server, 'night-bot', after, all, 'gpt-4.1', [10, 30])
  const page = await open('?find=night-bot')
  await page
    .getByRole('row', { name: /night-bot/ })
    .getByRole('link', { name: '1.1.0 can be promoted' })
    .waitFor()
  const { board } = (await (await fetch(`${server.url}/v1/board`)).json()) as Board
  const { window } = board.find(({ agent_id }) => agent_id === 'night-bot')!.place
  await page
    .getByRole('row', { name: /night-bot/ })
    .getByRole('link', { name: 'night-bot' })
    .click()
  await page.getByRole('button', { name: 'Promote 1.1.0…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Passes the policy' }).waitFor()
  expect(new URL(page.url()).searchParams.get('decide_window') || '24h').toBe(window)
})

test('runs of a model without a price need attention also where the table has other models', async () => {
  const { server, open } = await opened()
  const release_id = await register(server, 'odd-bot', '1.0.0')
  await ingest(server, 'odd-bot', release_id, [{ tenant: 'acme', runs: 3, errors: 0 }], 'gpt-none')
  const page = await open('')
  const need = page
    .getByRole('region', { name: 'Needs somebody' })
    .getByRole('listitem')
    .filter({ hasText: 'odd-bot' })
  await need.getByText("can't be decided on", { exact: true }).waitFor()
})

test('a button that can not be pressed is as readable under the pointer', async () => {
  const { open } = await opened()
  const page = await open('?decide=rollback&decide_agent=support-bot&decide_env=prod')
  const button = page.getByRole('dialog').getByRole('button', { name: 'Roll back now' })
  await expect.poll(() => button.isDisabled()).toBe(true)
  const colours = (): Promise<string> =>
    button.evaluate(element => {
      const { color, backgroundColor } = getComputedStyle(element)
      return `${color} on ${backgroundColor}`
    })
  const before = await colours()
  await button.hover({ force: true })
  expect(await colours()).toBe(before)
  expect(await contrastOf(page, 'dialog footer button:disabled')).toBeGreaterThanOrEqual(4.5)
})

/** By WCAG 2.2, of the text of what is found first. */
function contrastOf(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate(element => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
      const { color, backgroundColor } = getComputedStyle(element)
      const [text, ground] = [color, backgroundColor].map(colour => {
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map(value => {
          const part = value / 255
          return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
      })
      return (Math.max(text!, ground!) + 0.05) / (Math.min(text!, ground!) + 0.05)
    })
}

test('after a promotion the focus is on what came of it, and then on the page', async () => {
  const { server, story, open } = await opened()
  await server.send('POST /v1/rollback', { ...PLACE, release_id: story.baseline, reason: 'back' })
  await server.send('PUT /v1/policy', { require_high_diff_confidence: false })
  const page = await open('?view=place&agent=support-bot&env=prod')
  const promote = page.getByRole('button', { name: 'Promote 1.2.0…' })
  await promote.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Release').selectOption(story.candidate)
  await dialog.getByRole('heading', { name: /^Passes the policy/ }).waitFor()
  await dialog.getByLabel('Reason').fill('once more')
  await dialog.getByLabel('Your name').fill('dora')
  await dialog.getByLabel('Your name').press('Enter')
  await dialog.getByText('Promoted', { exact: true }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Promoted')
  await dialog.getByRole('button', { name: 'Done' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
})

test('charts have a band of what each mean may be, and errors in fewer, larger buckets', async () => {
  const { open } = await opened()
  const page = await open('?view=place&agent=support-bot&env=prod')
  const points = async (measure: string): Promise<number> => {
    await page
      .getByRole('group', { name: 'Measure over time' })
      .getByRole('button', { name: measure })
      .click()
    const chart = page.locator('figure', { hasText: measure })
    await expect.poll(() => chart.locator('path.spread.candidate').getAttribute('d')).toMatch(/^M.+Z$/)
    return chart
      .locator('path.series.candidate')
      .evaluate(path => path.getAttribute('d')!.split(/[ML]/).length - 1)
  }
  expect(await points('Error rate')).toBeLessThan(await points('Latency, mean'))
})

test('says a limit and a difference in plain words', async () => {
  const { open } = await opened()
  const page = await open('?view=place&agent=support-bot&env=prod')
  await page
    .getByRole('heading', { name: '1.2.0 is blocked: cost per run is $0.014664, the limit is $0.008000' })
    .waitFor()
  await expect.poll(() => page.getByText(/^All \d+ reasons$/).count()).toBe(0)
  await expect.poll(() => page.getByText(/Take out|not enough evidence|rolls nothing back/).count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
})
