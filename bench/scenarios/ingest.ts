import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { EventRow } from '../../src/ledger/events/ingest_sql.ts'
import type { StoredEvent } from '../../src/models/documents/stored_event.ts'
import { toRow } from '../event_rows.ts'
import { type Figure, type Scenario, median } from '../harness.ts'
import { type IngestPair, postgresPair, sqlitePair } from './ingest_pairs.ts'
import { benchEvent } from '../ledger.ts'
import { type Usage, sendAll } from '../load.ts'

const PER_REQUEST = 500
/** Events of a round: enough for more than one checkpoint of SQLite's log. */
const ROUND = 40_000
/** Rounds whose median is reported: the last ones before a size is reached, and at it. */
const ROUNDS = 7

/** Ingest over HTTP, in turn with the bare driver that writes the same rows by the same statements. */
export const ingestScenario: Scenario = {
  name: 'ingest',
  about: `POST /v1/events, ${PER_REQUEST} per request, in turn with the bare driver`,
  run: async ({ quick, size }, report) => {
    const scale = quick ? 2000 : Math.min(size, 1_000_000)
    const sizes = quick || size < 5_000_000 ? [scale] : [scale, 5_000_000]
    const cases = [
      { what: 'SQLite, 4 clients, ordered ids', open: sqlitePair, ordered: true, sizes, atLeast: 0.9 },
      {
        what: 'SQLite, 4 clients, random ids',
        open: sqlitePair,
        ordered: false,
        sizes: [scale],
        atLeast: 0.9,
      },
      { what: 'PostgreSQL, 8 clients', open: postgresPair, ordered: true, sizes: [scale], atLeast: 0.7 },
    ]
    for (const { what, open, ordered, sizes: reached, atLeast } of cases) {
      const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
      const pair = await open(folder)
      try {
        for await (const { stored, rounds, usage } of grow(pair, ordered, reached)) {
          const label = `${what}, ${stored.toLocaleString('en-US')} stored`
          reportRounds(label, rounds, usage, atLeast, figure => report({ scenario: 'ingest', ...figure }))
        }
      } finally {
        await pair.close()
        await rm(folder, { recursive: true, force: true })
      }
    }
  },
}

/** Events per second of each side, and cores that the service used. */
interface Round {
  readonly own: number
  readonly bare: number
  readonly cores: number
}

async function* grow(
  pair: IngestPair,
  ordered: boolean,
  sizes: readonly number[],
): AsyncGenerator<{ stored: number; rounds: readonly Round[]; usage: Usage }> {
  const events = eventSource(pair, ordered)
  let stored = 0
  for (const size of sizes) {
    const rounds: Round[] = []
    const round = Math.min(ROUND, size)
    for (; stored < size + ROUNDS * round - round; stored += round) {
      const bodies = Array.from(events(round), chunk => JSON.stringify({ events: chunk }))
      const before = await pair.usage()
      const own = await sendAll(pair.urls, bodies, pair.clients)
      const after = await pair.usage()
      const rows = Array.from(events(round), chunk => chunk.map(event => toRow(event, pair.idOf)))
      const bare = await bareSeconds(pair, rows)
      const cores = (after.cpuSeconds - before.cpuSeconds) / own
      rounds.push({ own: round / own, bare: round / bare, cores })
    }
    yield { stored: size, rounds: rounds.slice(-ROUNDS), usage: await pair.usage() }
  }
}

/** Endless events in order of time, in requests; each side draws its own. */
function eventSource(pair: IngestPair, ordered: boolean): (count: number) => Iterable<StoredEvent[]> {
  let made = 0
  const startedAt = Date.now()
  return function* draw(count) {
    for (let start = 0; start < count; start += PER_REQUEST) {
      yield Array.from({ length: Math.min(PER_REQUEST, count - start) }, () => {
        const index = made++
        const event = benchEvent(pair.releases[index % 2]!, index, startedAt + index)
        return ordered ? event : { ...event, run_id: crypto.randomUUID() }
      })
    }
  }
}

async function bareSeconds(pair: IngestPair, chunks: readonly EventRow[][]): Promise<number> {
  const waiting = chunks.values()
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: pair.clients }, async () => {
      for (const chunk of waiting) await pair.bare(chunk)
    }),
  )
  return (performance.now() - startedAt) / 1000
}

function reportRounds(
  label: string,
  rounds: readonly Round[],
  usage: Usage,
  atLeast: number,
  report: (figure: Omit<Figure, 'scenario'>) => void,
): void {
  report({
    what: label,
    value: median(rounds.map(({ own }) => own)),
    unit: 'events/s',
    ...(label.includes('ordered ids, 1,000,000') ? { target: { atLeast: 30_000 } } : {}),
  })
  report({
    what: `${label} / bare driver`,
    value: median(rounds.map(({ own, bare }) => own / bare)),
    unit: 'x',
    target: { atLeast },
  })
  report({ what: `${label}: cores used`, value: median(rounds.map(({ cores }) => cores)), unit: 'x' })
  report({ what: `${label}: memory`, value: usage.rssMb, unit: 'MB', target: { atMost: 300 } })
}
