import { performance } from 'node:perf_hooks'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import diffEndpoint from '../../handlers/decisions/diff.ts'
import ingestEndpoint from '../../handlers/runs/ingest.ts'
import runsEndpoint from '../../handlers/runs/list.ts'
import { bodyText } from '../../src/http/wire/message.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { DAY_MS } from '../../src/base/time.ts'
import { keepLedger } from '../../src/ledger/decide/keep_ledger.ts'
import type { Services } from '../../src/runtime/services.ts'
import { type GrowthDatabase, growthPostgres, growthSqlite } from './growth_databases.ts'
import { internedIds, toRow } from '../event_rows.ts'
import { type Figure, type Scenario, median, timesOf } from '../harness.ts'
import { benchEvent, benchRelease, benchServices } from '../ledger.ts'

/** Events per request. */
const CHUNK = 500
/** Events per round; a round through the ledger and one through the bare driver take turns. */
const ROUND = 20_000
const WINDOW_DAYS = 7

/** How a ledger behaves as it grows: rates against the bare driver, bytes per event, latencies of reads. */
export const growthScenario: Scenario = {
  name: 'growth',
  about: 'POST /v1/events in chunks of 500, in turn with the bare driver sending the same statements',
  run: async ({ quick, size }, report) => {
    const sizes = quick ? [1000, 2000] : [10_000, 100_000, 1_000_000, 10_000_000].filter(n => n < size)
    if (!quick) sizes.push(size)
    for (const open of [growthSqlite, growthPostgres]) {
      const database = await open()
      try {
        await grow(database, sizes, figure => report({ scenario: 'growth', ...figure }))
      } finally {
        await database.close()
      }
    }
  },
}

type Report = (figure: Omit<Figure, 'scenario'>) => void

async function grow(database: GrowthDatabase, sizes: readonly number[], report: Report): Promise<void> {
  const services = await benchServices(database.sql)
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')]
  let stored = 0
  for (const size of sizes) {
    // Each stage is spread over the whole window, in order of time.
    const until = Date.now()
    const [from, span] = [stored, WINDOW_DAYS * DAY_MS]
    const eventAt = (index: number): StoredEvent => {
      const ts = Math.floor(until - span + (span * (index - from + 0.5)) / (size - from))
      return benchEvent(releases[index % 2]!, index, ts)
    }
    const rounds: Round[] = []
    while (stored < size) {
      const count = Math.min(ROUND, Math.ceil((size - from) / (20 * CHUNK)) * CHUNK, size - stored)
      const own = await ownRound(database, services, chunksOf(stored, count, eventAt))
      stored += count
      const rest = Math.min(count, size - stored)
      const bare = await bareRound(database, chunksOf(stored, rest, eventAt))
      stored += rest
      if (rest > 0) rounds.push({ own: count / own, bare: rest / bare })
    }
    const label = `${database.name}, ${size.toLocaleString('en-US')} events`
    reportRates(rounds, size, label, report)
    const summedAt = performance.now()
    await keepLedger(services, { version: 'bench', pace: batch => batch() })
    const summing = (1000 * (performance.now() - summedAt)) / (size - from)
    report({ what: `${label}: sums by tenant and task, per event`, value: summing, unit: 'µs' })
    report({ what: `${label}: size per event`, value: (await database.settle()) / size, unit: 'bytes' })
    await reportReads(services, releases, size, label, report)
  }
}

/** Events per second. */
interface Round {
  readonly own: number
  readonly bare: number
}

function reportRates(rounds: readonly Round[], size: number, label: string, report: Report): void {
  // The last ones: what it takes at this size, not on the way there.
  const last = rounds.slice(-25)
  report({ what: `${label}: ingest`, value: median(last.map(({ own }) => own)), unit: 'events/s' })
  report({
    what: `${label}: ingest / bare driver`,
    value: median(last.map(({ own, bare }) => own / bare)),
    unit: 'x',
    // The first thousands go to compiling what then takes millions.
    ...(size >= 100_000 ? { target: { atLeast: 0.8 } } : {}),
  })
}

/** `count` events from the one of number `from` on, in requests. */
export function* chunksOf(
  from: number,
  count: number,
  eventAt: (index: number) => StoredEvent,
): Generator<StoredEvent[]> {
  for (let start = 0; start < count; start += CHUNK) {
    yield Array.from({ length: Math.min(CHUNK, count - start) }, (_, offset) =>
      eventAt(from + start + offset),
    )
  }
}

/** Seconds that the endpoint takes for the chunks; making them is not counted. */
export async function ownRound(
  { writers }: GrowthDatabase,
  services: Services,
  chunks: Iterable<StoredEvent[]>,
): Promise<number> {
  const bodies = Array.from(chunks, events => JSON.stringify({ events }))
  return secondsOf(bodies, writers, async body => {
    await call(ingestEndpoint, services, 'POST', '/v1/events', body)
  })
}

async function bareRound(database: GrowthDatabase, chunks: Iterable<StoredEvent[]>): Promise<number> {
  const idOf = await internedIds(database.sql)
  const rows = Array.from(chunks, events => events.map(event => toRow(event, idOf)))
  return secondsOf(rows, database.writers, chunk => database.bare(chunk))
}

async function secondsOf<T>(
  items: readonly T[],
  writers: number,
  send: (item: T) => Promise<void>,
): Promise<number> {
  const waiting = items.values()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (const item of waiting) await send(item)
    }),
  )
  return (performance.now() - startedAt) / 1000
}

async function reportReads(
  services: Services,
  [baseline, candidate]: readonly string[],
  size: number,
  label: string,
  report: Report,
): Promise<void> {
  const diff = JSON.stringify({
    baseline_release_id: baseline,
    candidate_release_id: candidate,
    window: `${WINDOW_DAYS}d`,
  })
  const page = (query: string) => () =>
    call(runsEndpoint, services, 'GET', `/v1/runs?release_id=${baseline}&window=${WINDOW_DAYS}d&${query}`)
  const newest = size - 2
  const reads = {
    'diff over 7 days': () => call(diffEndpoint, services, 'POST', '/v1/diff', diff),
    'newest 100 runs': page('limit=100'),
    [`100 runs behind ${Math.min(500_000, size / 4)}`]: page(
      `limit=100&offset=${Math.min(500_000, size / 4)}`,
    ),
    'runs of a tenant': page(`limit=100&tenant_id=tenant-${(newest * 7919) % 1000}`),
    'runs of a trace': page(`limit=100&trace_id=trace-${baseline}-${newest}`),
  }
  for (const [what, read] of Object.entries(reads)) {
    report({ what: `${label}: ${what}, p50`, value: median(await timesOf(21, read)), unit: 'ms' })
  }
}

/** Calls an endpoint without a server. */
export async function call(
  endpoint: Endpoint,
  services: Services,
  method: string,
  path: string,
  body: string | null = null,
): Promise<string> {
  const reply = await endpoint.reply(
    {
      method,
      url: `http://localhost${path}`,
      headers: {
        get: name => (name === 'content-type' && body !== null ? 'application/json' : null),
        keys: () => [],
      },
      body,
    },
    { ...services, peer: { kind: 'cli', actor: 'bench' } },
  )
  const text = await bodyText(reply)
  if (reply.status !== 200) throw new Error(text)
  return text
}
