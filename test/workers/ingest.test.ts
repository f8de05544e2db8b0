import { Miniflare, type MiniflareOptions } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { openD1 } from '../../src/sql/d1.ts'
import { keptD1 } from '../support/databases/kept_d1.ts'
import { eventOf, register } from '../support/services/builders.ts'
import { failedChecks, ok } from '../support/services/requests.ts'
import { type TestService, testService } from '../support/services/service.ts'
import { COMPATIBILITY, workerBundle } from '../support/workers/workerd.ts'

const TOKEN = 's3cret'
const LEAVING = 'x-leaving'

/**
 * The Worker, behind one that counts the batches of events that it sends to D1. A request with this header is over while
 * one of its own is being sent, as if its client had left.
 */
const COUNTING = `
import worker from './worker.js'
let batches = 0
export default {
  async fetch(request, { DB }, execution) {
    if (new URL(request.url).pathname === '/batches') return Response.json(batches)
    const left = Promise.withResolvers()
    const counting = {
      prepare: text => DB.prepare(text),
      batch: async statements => {
        if (statements.length > 5) batches++
        if (statements.length > 5 && request.headers.has('${LEAVING}')) {
          left.resolve(Response.json({ left: true }))
          await new Promise(resolve => setTimeout(resolve, 100))
        }
        return DB.batch(statements)
      },
    }
    const answer = worker.fetch(request, { DB: counting, SERVICE_LOCAL_API_TOKEN: '${TOKEN}' }, execution)
    return Promise.race([answer, left.promise])
  },
}`

interface Deployed {
  /** The same ledger, read by this process. */
  readonly service: TestService
  /** How many batches of more than a few statements D1 was sent. */
  readonly batches: () => Promise<number>
  readonly ingest: (
    events: readonly unknown[],
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ status: number; body: Record<string, unknown> }>
}

async function deploy(): Promise<Deployed> {
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [
      { type: 'ESModule', path: 'index.js', contents: COUNTING },
      { type: 'ESModule', path: 'worker.js', contents: await workerBundle() },
    ],
    d1Databases: { DB: 'DB' },
    handleRuntimeStdio: () => {},
  } as MiniflareOptions)
  onTestFinished(() => miniflare.dispose())
  const url = await miniflare.ready
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  // Its first request migrates the ledger.
  expect((await fetch(new URL('/v1/releases', url), { headers })).status).toBe(200)
  return {
    service: await testService({ sql: openD1(keptD1(await miniflare.getD1Database('DB'))) }),
    batches: async () => (await fetch(new URL('/batches', url))).json() as Promise<number>,
    ingest: async (events, more = {}) => {
      const body = JSON.stringify({ events })
      const answer = await fetch(new URL('/v1/events', url), {
        method: 'POST',
        headers: { ...headers, ...more },
        body,
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}

test('requests that come at once are committed together, and each is told what became of its own events', async () => {
  const { service, batches, ingest } = await deploy()
  const release_id = await register(service)
  // Some have scores, some parts, and most nothing but their columns.
  const others = [{ model: 'm2', tokens: [10, 20, 0] as const }]
  const more = [{}, { scores: { quality: 0.5 } }, {}, { others }, {}, {}] as const
  const eventsFrom = (first: number): Record<string, unknown>[] =>
    Array.from({ length: 20 }, (_, index) =>
      eventOf({ release_id, run_id: `run_${first + index}`, ...more[(first / 10) % more.length] }),
    )
  const before = await batches()
  // Each shares half of its runs with the next; every sixth is not valid.
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      ingest(index % 6 === 5 ? [...eventsFrom(index * 10), { run_id: 'odd' }] : eventsFrom(index * 10)),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(
    answers.map((_, index) => (index % 6 === 5 ? 400 : 200)),
  )
  const stored = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  const sum = (name: string): number => stored.reduce((total, body) => total + Number(body[name] ?? 0), 0)
  expect([sum('inserted'), sum('skipped')]).toEqual([240, 160])
  expect((await batches()) - before).toBeLessThan(stored.length)
  expect(await failedChecks(service, true)).toEqual([])
})

test('a client that leaves takes nobody with it, and its events are stored', async () => {
  const { service, ingest } = await deploy()
  const release_id = await register(service)
  const bodyOf = (name: string) => [eventOf({ release_id, run_id: name })]
  // Four at most go together, so that of eight at least one of these leads; whom they lead is answered.
  const names = Array.from({ length: 40 }, (_, index) => String(index))
  const answers: Awaited<ReturnType<typeof ingest>>[] = []
  for (let start = 0; start < names.length; start += 8) {
    const headersOf = (index: number) => (index > 0 ? { [LEAVING]: '' } : {})
    const sent = names.slice(start, start + 8).map((name, index) => ingest(bodyOf(name), headersOf(index)))
    answers.push(...(await Promise.all(sent)))
  }
  const left = answers.filter(({ body }) => body.left === true).length
  expect(left).toBeGreaterThan(0)
  const stayed = answers.filter(({ body }) => body.left === undefined)
  expect(stayed).toEqual(Array.from({ length: 40 - left }, () => ({ status: 200, body: { inserted: 1 } })))
  const stored = async (): Promise<number> => {
    const query = { release_id, window: '1h' }
    return (await ok(service.call('GET /v1/runs', { query }))).matched_total as number
  }
  await expect.poll(stored).toBe(40)
  expect(await failedChecks(service, true)).toEqual([])
})
