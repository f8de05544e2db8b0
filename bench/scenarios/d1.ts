import { fileURLToPath } from 'node:url'
import { Miniflare } from 'miniflare'
import { buildWorker } from '../../tools/worker.ts'
import { openD1 } from '../../src/sql/d1.ts'
import { toRow } from '../event_rows.ts'
import { chunksOf } from './growth.ts'
import { type Scenario, median } from '../harness.ts'
import { type Introduced, introduce } from './ingest_pairs.ts'
import type { BareRequest } from '../servers/bare_d1.ts'
import { benchEvent, benchServices } from '../ledger.ts'
import { sendAll } from '../load.ts'

const CLIENTS = 4
/** More than other pairs have: each batch waits for the disk, which takes longer now and then. */
const ROUNDS = 15
const BARE = fileURLToPath(new URL('../servers/bare_d1.ts', import.meta.url))

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
        const chunks = Array.from(
          chunksOf(round * perRound, perRound, index =>
            benchEvent(own.releases[index % 2]!, index, STARTED_AT + index),
          ),
        )
        const bodies = chunks.map(events => JSON.stringify({ events }))
        const rows = chunks.map(events => {
          const given: BareRequest = { rows: events.map(event => toRow(event, bare.idOf)), ids: bare.ids }
          return JSON.stringify(given)
        })
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
        target: { atLeast: 0.9 },
      })
    } finally {
      await Promise.all([own.stop(), bare.stop()])
    }
  },
}

const TOKEN = 's3cret-of-benchmarks'

interface BenchWorker extends Introduced {
  readonly url: string
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
  return { url, ...(await introduce(services)), stop: () => miniflare.dispose() }
}

const STARTED_AT = Date.now()
