import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../src/base/time.ts'
import { importAggregates } from '../../src/features/aggregates/import.ts'
import { EVERYTHING } from '../../src/ledger/world/scope.ts'
import { binOf } from '../../src/rules/statistics/bins.ts'
import type { Services } from '../../src/runtime/services.ts'
import { benchClient } from '../client.ts'
import { type Figure, type Scenario, median, timesOf } from '../harness.ts'
import { benchRelease, fillEvents, servedLedger } from '../ledger.ts'
import { startBenchServer } from '../load.ts'

const MODELS = ['small', 'medium', 'large']
/** Releases of an import, each with three models and a histogram per ten minutes of a day: some 90,000 aggregates. */
const RELEASES = 20
/** Runs of both sides that the gate compares. */
const RUNS = 10_000_000_000
/** Calls whose median is reported. */
const CALLS = 301

/** How fast sums of runs are taken, and what a decision over ten billion of them costs. */
export const aggregatesScenario: Scenario = {
  name: 'aggregates',
  about: 'sums of runs: imported into a SQLite file, and GET /v1/gate over them and over events',
  run: async ({ quick, size }, report) => {
    const tell = (figure: Omit<Figure, 'scenario'>): void => report({ scenario: 'aggregates', ...figure })
    const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
    try {
      await measureImport(join(folder, 'import'), quick, tell)
      const [overEvents, overAggregates] = await gatesInTurn(
        [
          await servedGate(join(folder, 'events'), (services, releases) =>
            fillEvents(services, releases, 0, (quick ? 1000 : size) / 2, Date.now()),
          ),
          await servedGate(join(folder, 'aggregates'), (services, releases) => {
            const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
            const from = Math.floor((now - 7 * DAY_MS) / HOUR_MS) * HOUR_MS
            const minutes = (now - from) / MINUTE_MS
            const runs = Math.ceil(RUNS / (releases.length * MODELS.length * minutes) / 2) * 2
            return send(services, bodyOf(releases, from, now, runs))
          }),
        ],
        quick ? 3 : CALLS,
      )
      const events = (quick ? 1000 : size).toLocaleString('en-US')
      tell({ what: `gate over a week of ${events} events, p50`, value: overEvents, unit: 'ms' })
      tell({ what: 'gate over a week of 10^10 runs in aggregates, p50', value: overAggregates, unit: 'ms' })
      tell({
        what: 'the second against the first',
        value: overAggregates / overEvents,
        unit: 'x',
        target: { atMost: 1.3 },
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function measureImport(
  folder: string,
  quick: boolean,
  tell: (figure: Omit<Figure, 'scenario'>) => void,
): Promise<void> {
  const { services, close } = await servedLedger(folder)
  const releases: string[] = []
  for (let at = 0; at < (quick ? 2 : RELEASES); at++) releases.push(await benchRelease(services, `${at}`))
  const rates: number[] = []
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  for (let round = 1; round <= (quick ? 1 : 5); round++) {
    const body = bodyOf(releases, today - round * DAY_MS, today - (round - 1) * DAY_MS, 100)
    const startedAt = performance.now()
    const { aggregates } = await send(services, body)
    rates.push((1000 * aggregates) / (performance.now() - startedAt))
  }
  tell({
    what: 'import of a day, new to the ledger',
    value: median(rates),
    unit: 'aggregates/s',
    target: { atLeast: 100_000 },
  })
  const body = bodyOf(releases, today - DAY_MS, today, 102)
  const startedAt = performance.now()
  const { aggregates } = await send(services, body)
  tell({
    what: 'the same day, every aggregate another',
    value: (1000 * aggregates) / (performance.now() - startedAt),
    unit: 'aggregates/s',
  })
  await close()
}

/** A server that is asked its gate. */
interface ServedGate {
  readonly ask: () => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Medians of each, ms: a machine that gets busy meanwhile is so for both. */
async function gatesInTurn(
  gates: readonly [ServedGate, ServedGate],
  calls: number,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  try {
    for (const { ask } of gates) await timesOf(calls, ask)
    for (let call = 0; call < calls; call++) {
      for (const [index, { ask }] of gates.entries()) {
        const startedAt = performance.now()
        await ask()
        times[index]!.push(performance.now() - startedAt)
      }
    }
  } finally {
    for (const { stop } of gates) await stop()
  }
  return [median(times[0]), median(times[1])]
}

async function servedGate(
  folder: string,
  fill: (services: Services, releases: readonly [string, string]) => Promise<unknown>,
): Promise<ServedGate> {
  const { services, close } = await servedLedger(folder)
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')] as const
  await fill(services, releases)
  await close()
  const server = await startBenchServer('service', folder)
  const client = benchClient(server.url)
  const [baseline, candidate] = releases
  const promoted = { release_id: baseline, environment: 'local', window: '7d', reason: 'bench' }
  await client.call('POST', '/v1/promote', promoted)
  const path = `/v1/gate/bench/local?window=7d&release_id=${candidate}`
  return {
    ask: () => client.call('GET', path),
    stop: async () => {
      client.close()
      await server.stop()
    },
  }
}

function send(services: Services, text: string) {
  const body = { bytes: new TextEncoder().encode(text), encoding: null }
  const options = { scope: EVERYTHING, source: null, allowFewer: false, reason: null }
  return importAggregates(services, body, { ...options, actor: { name: 'bench', source: 'cli' } })
}

/** Half of the runs of an aggregate take twice what the others do. */
function bodyOf(releases: readonly string[], from: number, to: number, runs: number): string {
  const moments = (value: number) => [1.5 * value * runs, 2.5 * value * value * runs] as const
  const product = (a: number, b: number): number => 2.5 * a * b * runs
  const [[latency_sum, latency_sq], [input_sum, input_sq], [output_sum, output_sq]] = [
    moments(400),
    moments(1000),
    moments(200),
  ] as const
  const sums = {
    runs,
    errors: runs / 2,
    latency_count: runs,
    latency_sum,
    latency_sq,
    input_sum,
    output_sum,
    cached_sum: 0,
    input_sq,
    output_sq,
    cached_sq: 0,
    input_output: product(1000, 200),
    input_cached: 0,
    output_cached: 0,
  }
  const covers = { from_ms: from, to_ms: to }
  const lines: object[] = [
    {
      aggregates: 'v1',
      source: 'bench',
      engine: 'bench',
      query_sha256: '0'.repeat(64),
      as_of: isoTime(Date.now()),
      covers,
    },
  ]
  for (const release_id of releases) {
    const place = { release_id, environment: 'local' }
    for (let at_ms = from; at_ms < to; at_ms += MINUTE_MS) {
      for (const model of MODELS) {
        const of = { agent_id: 'bench', provider: 'acme', model, at_ms, width_s: 60 }
        lines.push({ aggregate: 'runs', ...place, ...of, ...sums })
      }
    }
    for (let at_ms = from; at_ms < to; at_ms += 10 * MINUTE_MS) {
      const minutes = Math.min(10, (to - at_ms) / MINUTE_MS)
      const half = (minutes * MODELS.length * runs) / 2
      const bins = { [binOf(400)]: half, [binOf(800)]: half }
      lines.push({ aggregate: 'latency', ...place, at_ms, width_s: 600, bins, largest: 800 })
    }
  }
  return lines.map(line => JSON.stringify(line)).join('\n')
}
