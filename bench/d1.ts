import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { buildWorker } from '../src/build/worker.ts'
import { ingestEvents } from '../src/ledger/events.ts'
import { openD1 } from '../src/sql/d1.ts'
import { type IdOf, internedIds, toRow } from './event_rows.ts'
import { type Scenario, median } from './harness.ts'
import { benchEvent, benchRelease, benchServices } from './ledger.ts'
import { sendAll } from './load.ts'

const PER_REQUEST = 500
const CLIENTS = 4
const ROUNDS = 7
const BARE = fileURLToPath(new URL('servers/bare_d1.ts', import.meta.url))

/** Ingest by the Worker on D1 in workerd, in turn with a bare Worker that sends the same statements. */
export const d1Scenario: Scenario = {
  name: 'd1',
  about: `POST /v1/events of the Worker on D1 in workerd, ${CLIENTS} clients, in turn with a bare Worker`,
  run: async ({ quick }, report) => {
    const [own, bare] = await Promise.all([startWorker(), startWorker(BARE)])
    try {
      const perRound = quick ? 1000 : 20_000
      const rates: { readonly own: number; readonly bare: number }[] = []
      for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
        const chunks = Array.from(chunksOf(own.releases, round * perRound, perRound))
        const bodies = chunks.map(events => JSON.stringify({ events }))
        const rows = chunks.map(events => JSON.stringify(events.map(event => toRow(event, bare.idOf))))
        rates.push({
          own: perRound / (await sendAll([`${own.url}/v1/events`], bodies, CLIENTS, TOKEN)),
          bare: perRound / (await sendAll([bare.url], rows, CLIENTS)),
        })
      }
      const value = median(rates.map(rate => rate.own))
      report({ scenario: 'd1', what: 'Worker on D1', value, unit: 'events/s' })
      report({
        scenario: 'd1',
        what: 'Worker on D1 / bare Worker',
        value: median(rates.map(rate => rate.own / rate.bare)),
        unit: 'x',
        target: { atLeast: 0.8 },
      })
    } finally {
      await Promise.all([own.stop(), bare.stop()])
    }
  },
}

const TOKEN = 's3cret-of-benchmarks'

interface BenchWorker {
  readonly url: string
  readonly releases: readonly string[]
  readonly idOf: IdOf
  stop(): Promise<void>
}

/** A workerd with a ledger of its own that knows two releases and three models. */
async function startWorker(entry?: string): Promise<BenchWorker> {
  const miniflare = new Miniflare({
    compatibilityDate: '2026-07-30',
    compatibilityFlags: ['nodejs_compat'],
    modules: [{ type: 'ESModule', path: 'index.js', contents: await buildWorker(entry) }],
    d1Databases: { DB: 'DB' },
    bindings: { SERVICE_LOCAL_API_TOKEN: TOKEN, SERVICE_CONFIG: '' },
    handleRuntimeStdio: () => {},
  })
  const url = (await miniflare.ready).origin
  const services = await benchServices(openD1(await miniflare.getD1Database('DB')))
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')]
  await ingestEvents(
    services,
    Array.from({ length: 6 }, (_, index) => benchEvent(releases[index % 2]!, index, 0)),
  )
  const idOf = await internedIds(services.sql)
  return { url, releases, idOf, stop: () => miniflare.dispose() }
}

function* chunksOf(
  releases: readonly string[],
  from: number,
  count: number,
): Generator<ReturnType<typeof benchEvent>[]> {
  for (let start = from; start < from + count; start += PER_REQUEST) {
    yield Array.from({ length: PER_REQUEST }, (_, offset) => {
      const index = start + offset
      return benchEvent(releases[index % 2]!, index, STARTED_AT + index)
    })
  }
}

const STARTED_AT = Date.now()
