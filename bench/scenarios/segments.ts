import diffEndpoint from '../../handlers/decisions/diff.ts'
import groupsEndpoint from '../../handlers/decisions/diff_groups.ts'
import { DAY_MS } from '../../src/base/time.ts'
import { FEATURES } from '../../src/entry/features.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { keepLedger } from '../../src/ledger/decide/keep_ledger.ts'
import type { Services } from '../../src/runtime/services.ts'
import { type Figure, type Scenario, median, requireSegmentRegressions } from '../harness.ts'
import { benchEvent, benchRelease, benchServices } from '../ledger.ts'
import { call, chunksOf, ownRound } from './growth.ts'
import { type GrowthDatabase, growthPostgres, growthSqlite } from './growth_databases.ts'

/** Events of a round: through the ledger with sums by tenant and task, then through the one without. */
const ROUND = 20_000
const WINDOW_DAYS = 7

type Report = (figure: Omit<Figure, 'scenario'>) => void

/** What sums by tenant and task cost: CPU of this process, which the machine's other work hardly changes. */
export const segmentScenario: Scenario = {
  name: 'segments',
  about: 'sums by tenant and task, in turn with a ledger without them; CPU of the service and of SQLite',
  run: async ({ quick, size }, report) => {
    const tell: Report = figure => report({ scenario: 'segments', ...figure })
    for (const open of [growthSqlite, growthPostgres]) {
      const [withSums, without] = [await open(), await open()]
      try {
        await inTurn(withSums, without, quick ? 2000 : size, tell)
      } finally {
        await withSums.close()
        await without.close()
      }
    }
  },
}

const NO_SEGMENTS = Object.fromEntries(
  Object.entries(FEATURES).map(([part, loads]) => [
    part,
    loads.filter(load => !String(load).includes('features/segments/')),
  ]),
) as unknown as typeof FEATURES

async function inTurn(
  withSums: GrowthDatabase,
  without: GrowthDatabase,
  size: number,
  tell: Report,
): Promise<void> {
  const sides = [await side(withSums, size), await side(without, size, NO_SEGMENTS)] as const
  const label = `${withSums.name}, ${size.toLocaleString('en-US')} events`
  const rounds: { readonly own: number; readonly sums: number; readonly bare: number }[] = []
  for (let stored = 0; stored < size; stored += ROUND) {
    const count = Math.min(ROUND, size - stored)
    const perEvent = async (act: () => Promise<unknown>): Promise<number> =>
      (1000 * (await cpuOf(act))) / count
    rounds.push({
      own: await perEvent(() => sides[0].store(stored, count)),
      sums: await perEvent(() => keepLedger(sides[0].services, { version: 'bench', pace: batch => batch() })),
      bare: await perEvent(() => sides[1].store(stored, count)),
    })
  }
  // The CPU of PostgreSQL is that of other processes.
  const last = rounds.slice(-25)
  if (withSums.name === 'SQLite') {
    const of = (figure: (round: (typeof rounds)[number]) => number): number => median(last.map(figure))
    tell({ what: `${label}: ingest, CPU per event`, value: of(({ own }) => own), unit: 'µs' })
    tell({ what: `${label}: without sums`, value: of(({ bare }) => bare), unit: 'µs' })
    tell({ what: `${label}: the sums`, value: of(({ sums }) => sums), unit: 'µs' })
    const rate = of(({ own, sums, bare }) => bare / (own + sums))
    tell({
      what: `${label}: rate of the ledger without sums`,
      value: rate,
      unit: 'x',
      target: { atLeast: 0.9 },
    })
  }
  const bytes = [await withSums.settle(), await without.settle()].map(all => all / size)
  const atMost = withSums.name === 'SQLite' ? 620 : 820
  tell({ what: `${label}: size per event`, value: bytes[0]!, unit: 'bytes', target: { atMost } })
  tell({ what: `${label}: size per event, without sums`, value: bytes[1]!, unit: 'bytes' })
  if (withSums.name === 'SQLite') await reads(sides[0], size, label, tell)
}

interface Side {
  readonly services: Services
  readonly releases: readonly string[]
  /** Stores events in order of time, as dense as all of them are in the end. */
  readonly store: (from: number, count: number) => Promise<unknown>
}

async function side(database: GrowthDatabase, size: number, features = FEATURES): Promise<Side> {
  const services = { ...(await benchServices(database.sql)), features }
  const releases = [await benchRelease(services, '1'), await benchRelease(services, '2')]
  const [until, span] = [Date.now(), WINDOW_DAYS * DAY_MS]
  // More events than that are late ones, from the middle of the window on.
  const placeOf = (index: number): number => (index < size ? index : index - Math.floor(size / 2))
  // Both releases serve the same tenants and tasks.
  const eventAt = (index: number) =>
    benchEvent(
      releases[index % 2]!,
      Math.floor(index / 2),
      Math.floor(until - span + (span * (placeOf(index) + 0.5)) / size),
    )
  return {
    services,
    releases,
    store: (from, count) => ownRound(database, services, chunksOf(from, count, eventAt)),
  }
}

/** CPU of this process, its threads included, ms. */
async function cpuOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Fewer than a reader leaves to the server. */
const LATE = 10_000

/** Calls of a read in a row, and how often all reads take turns. */
const CALLS = 5
const TURNS = 9

async function reads(
  { services, releases, store }: Side,
  size: number,
  label: string,
  tell: Report,
): Promise<void> {
  const [baseline_release_id, candidate_release_id] = releases
  const pair = { baseline_release_id, candidate_release_id, window: `${WINDOW_DAYS}d` }
  const asking =
    (endpoint: Endpoint, path: string, more: object, by: Services = services) =>
    () =>
      call(endpoint, by, 'POST', path, JSON.stringify({ ...pair, ...more }))
  const plain = { ...services, features: NO_SEGMENTS }
  const diff = (more: object, by?: Services) => asking(diffEndpoint, '/v1/diff', more, by)
  requireSegmentRegressions(await diff({})(), size / 2)
  const group = (by: string) => asking(groupsEndpoint, '/v1/diff/groups', { by })
  const cpu = await cpuInTurn({
    window: diff({ compare_by: 'window' }, plain),
    time: diff({}, plain),
    spots: diff({}),
    tenant: group('tenant'),
    task: group('task'),
  })
  tell({ what: `${label}: diff by window, CPU`, value: cpu.window, unit: 'ms' })
  tell({ what: `${label}: diff by time, CPU`, value: cpu.time, unit: 'ms' })
  tell({
    what: `${label}: by time / by window`,
    value: cpu.time / cpu.window,
    unit: 'x',
    target: { atMost: 1.2 },
  })
  const spots = cpu.spots - cpu.time
  tell({ what: `${label}: its segment regressions, CPU`, value: spots, unit: 'ms', target: { atMost: 150 } })
  for (const by of ['tenant', 'task'] as const)
    tell({ what: `${label}: cost by ${by}, CPU`, value: cpu[by], unit: 'ms', target: { atMost: 150 } })
  const late = Math.min(LATE, size)
  await store(size, late)
  const { behind } = await cpuInTurn({ behind: diff({}) })
  tell({
    what: `${label}: diff behind ${late} that are not summed, CPU`,
    value: behind,
    unit: 'ms',
  })
}

/** Medians of the CPU of a call, ms. */
async function cpuInTurn<K extends string>(
  calls: Record<K, () => Promise<unknown>>,
): Promise<Record<K, number>> {
  const names = Object.keys(calls) as K[]
  const times = new Map<K, number[]>(names.map(name => [name, []]))
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const name of names) {
      const repeat = async (): Promise<void> => {
        for (let count = 0; count < CALLS; count++) await calls[name]()
      }
      const cpu = (await cpuOf(repeat)) / CALLS
      if (turn > 0) times.get(name)!.push(cpu)
    }
  }
  return Object.fromEntries(names.map(name => [name, median(times.get(name)!)])) as Record<K, number>
}
