import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { BoardEntry } from '../../src/models/answers/board.ts'
import { connectBrowser, openOwnPage, settled } from '../support/browser/web_page.ts'
import { fillBoard } from '../support/browser/web_scale.ts'
import { storyServer } from '../support/browser/web_story.ts'
import { scaled } from '../support/scale.ts'

let browser: Browser

beforeAll(async () => {
  browser = await connectBrowser()
})
afterAll(() => browser.close())

/** Agents on the board, and those that a day is worked out for. */
const [AGENTS, MANY] = [scaled(40, 300), 300]
/** Minutes that pass without a change, and changes of a day. */
const [MINUTES, CHANGES] = [scaled(12, 60), 100]
const [MINUTE_MS, STEP_MS, MOST_BYTES] = [60_000, 15_000, 10_000_000]
/** A comment every 15 s, in a frame of its own, and a new stream every five minutes: a day of a stream, bytes. */
const STREAM_BYTES = 4 * 1440 * (': quiet\n\n'.length + 8) + 288 * 600

test('a tab open for a day with 300 agents takes less than 10 MB', async () => {
  const { server, story } = await storyServer()
  onTestFinished(() => server.close())
  await fillBoard(server, AGENTS)
  await evaluateAll(server)
  const { page } = await openOwnPage(browser, 'about:blank')
  onTestFinished(() => page.context().close())
  const received = await receivedBy(page)
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await page.clock.runFor(Math.min(ms, STEP_MS))
      await received.quiet()
    }
  }
  await page.clock.install()
  await page.goto(server.url)
  await settled(page)
  // The code of the other pages follows the page.
  const load: Answer[] = []
  for (let last: readonly Answer[] = []; load.length === 0 || timesOf(last, '/assets') > 0;) {
    await pass(MINUTE_MS)
    last = received.take()
    load.push(...last)
  }
  await pass(MINUTES * MINUTE_MS)
  const idle = received.take()
  // The board compares nothing itself, and nothing that has not changed is sent again.
  expect(timesOf(idle, '/v1/diff') + timesOf(idle, '/v1/gate') + timesOf(idle, '/v1/confidence')).toBe(0)
  // Why somebody has to see to a place is in its answer.
  expect(
    ['/v1/watches', '/v1/rollouts', '/v1/rollout-requests', '/v1/retirements'].map(path =>
      timesOf(idle, path),
    ),
  ).toEqual([0, 0, 0, 0])
  expect(timesOf(idle, '/v1/board')).toBeGreaterThanOrEqual(MINUTES / 2 - 1)
  expect(bytesOf(idle, '/v1/board') / timesOf(idle, '/v1/board')).toBeLessThan(400)
  expect(bytesOf(idle, '/assets')).toBe(0)

  const board = page.waitForResponse(response => response.url().endsWith('/v1/board'))
  await server.send('POST /v1/rollback', {
    release_id: story.baseline,
    environment: 'prod',
    window: '24h',
    reason: 'back',
  })
  await board
  await received.quiet()
  const changed = received.take()
  const boardBytes = (bytesOf(changed, '/v1/board') * MANY) / AGENTS
  const changeBytes = bytesOf(changed) - bytesOf(changed, '/v1/board') + boardBytes
  const perDay = {
    load: bytesOf(load) + boardBytes,
    idle: (bytesOf(idle) * 1440) / MINUTES,
    stream: STREAM_BYTES,
    changes: CHANGES * changeBytes,
  }
  const day = Object.values(perDay).reduce((sum, bytes) => sum + bytes)
  expect(day, JSON.stringify(perDay)).toBeLessThan(MOST_BYTES)
  if (process.env.PROVE === '1')
    process.stdout.write(`bytes of a day: ${JSON.stringify({ ...perDay, day })}\n`)
})

/** Has each place evaluated: boards do it for a share of the time, of which less passes here than in the page. */
async function evaluateAll({ send }: Awaited<ReturnType<typeof storyServer>>['server']): Promise<void> {
  await expect
    .poll(
      async () => {
        const { board } = await send('GET /v1/board', undefined)
        const missing = board.filter(
          ({ place }: BoardEntry) => place.evaluated_at === null || place.outdated === true,
        )
        for (const { agent_id, environment } of missing)
          await send(`GET /v1/places/${agent_id}/${environment}`, undefined)
        return missing.length
      },
      { timeout: 60_000 },
    )
    .toBe(0)
}

interface Answer {
  readonly path: string
  readonly bytes: number
}

const bytesOf = (answers: readonly Answer[], path = '/'): number =>
  answers.filter(one => one.path.startsWith(path)).reduce((sum, { bytes }) => sum + bytes, 0)

const timesOf = (answers: readonly Answer[], path: string): number =>
  answers.filter(one => one.path.startsWith(path)).length

interface Received {
  /** The answers that have ended since it was called last, with their bytes on the line. */
  take(): readonly Answer[]
  /** Until no answer is open but the stream. */
  quiet(): Promise<void>
}

async function receivedBy(page: Page): Promise<Received> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const open = new Map<string, { path: string; bytes: number }>()
  let ended: Answer[] = []
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    open.set(requestId, { path: new URL(request.url).pathname, bytes: 0 })
  })
  // A 304 to a request of the page itself ends as failed, with what its headers took.
  session.on('Network.responseReceived', ({ requestId, response }) => {
    open.get(requestId)!.bytes = response.encodedDataLength
  })
  const end = (requestId: string, bytes: number): void => {
    const answer = open.get(requestId)
    open.delete(requestId)
    if (answer !== undefined) ended.push({ path: answer.path, bytes: Math.max(bytes, answer.bytes) })
  }
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    end(requestId, encodedDataLength),
  )
  session.on('Network.loadingFailed', ({ requestId }) => end(requestId, 0))
  return {
    take: () => {
      const all = ended
      ended = []
      return all
    },
    quiet: async () => {
      const others = (): string[] =>
        [...open.values()].map(({ path }) => path).filter(path => path !== '/v1/stream')
      await page.evaluate(() => Promise.resolve())
      await expect.poll(others).toEqual([])
    },
  }
}
