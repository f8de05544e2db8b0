import { connect } from 'node:net'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { buildWorker } from '../../tools/worker.ts'
import { openD1 } from '../../src/sql/d1.ts'
import { keptD1 } from '../support/databases/kept_d1.ts'
import { eventOf, register } from '../support/services/builders.ts'
import { failedChecks } from '../support/services/requests.ts'
import { type TestService, testService } from '../support/services/service.ts'
import { COMPATIBILITY } from '../support/workers/workerd.ts'

const TOKEN = 's3cret'

/** The Worker, behind one that counts the batches of events that it sends to D1. */
const COUNTING = `
import worker from './worker.js'
let batches = 0
export default {
  fetch(request, { DB }, execution) {
    if (new URL(request.url).pathname === '/batches') return Response.json(batches)
    const counting = {
      prepare: text => DB.prepare(text),
      batch: statements => {
        if (statements.length > 5) batches++
        return DB.batch(statements)
      },
    }
    return worker.fetch(request, { DB: counting, SERVICE_LOCAL_API_TOKEN: '${TOKEN}' }, execution)
  },
}`

interface Deployed {
  readonly url: URL
  /** The same ledger, read by this process. */
  readonly service: TestService
  /** How many batches of more than a few statements D1 was sent. */
  readonly batches: () => Promise<number>
  readonly ingest: (events: readonly unknown[]) => Promise<{ status: number; body: Record<string, unknown> }>
}

async function deploy(): Promise<Deployed> {
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [
      { type: 'ESModule', path: 'index.js', contents: COUNTING },
      { type: 'ESModule', path: 'worker.js', contents: await buildWorker() },
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
    url,
    service: await testService({ sql: openD1(keptD1(await miniflare.getD1Database('DB'))) }),
    batches: async () => (await fetch(new URL('/batches', url))).json() as Promise<number>,
    ingest: async events => {
      const body = JSON.stringify({ events })
      const answer = await fetch(new URL('/v1/events', url), { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },
  }
}

test('requests that come at once are committed together, and each is told what became of its own events', async () => {
  const { service, batches, ingest } = await deploy()
  const release_id = await register(service)
  // Some have scores, some parts, and most nothing beside their columns.
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

test('a client that leaves takes nobody with it, and its events are stored once', async () => {
  const { url, service, ingest } = await deploy()
  const release_id = await register(service)
  const bodyOf = (name: string) => [eventOf({ release_id, run_id: name })]
  for (let round = 0; round < 5; round++) {
    const body = JSON.stringify({ events: bodyOf(`left_${round}`) })
    const head = `POST /v1/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${TOKEN}\r\n`
    const leaving = connect(Number(url.port), url.hostname)
    leaving.write(
      `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      () => leaving.destroy(),
    )
    const names = Array.from({ length: 8 }, (_, index) => `stayed_${round}_${index}`)
    const answers = await Promise.all(names.map(name => ingest(bodyOf(name))))
    expect(answers).toEqual(names.map(() => ({ status: 200, body: { inserted: 1 } })))
    const again = await ingest(bodyOf(`left_${round}`))
    expect(Number(again.body.inserted) + Number(again.body.skipped ?? 0)).toBe(1)
  }
  expect(await failedChecks(service, true)).toEqual([])
})
