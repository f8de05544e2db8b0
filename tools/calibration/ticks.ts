import type { samplesOf } from '../../src/rules/diff_statistics.ts'
import { MINUTE_MS } from '../../src/base/time.ts'
import { NO_MOMENTS, type Sample } from '../../src/rules/statistics/samples.ts'
import { type WatchLimits, readWatch, slotKind } from '../../src/features/watch/rules_readings.ts'
import { DEFAULT_MIN_RUNS, type WatchVerdict, watchVerdict } from '../../src/features/watch/rules_verdict.ts'
import { inTime } from './coverage.ts'
import type { Sampling } from './decisions.ts'
import { SHAPES } from './effort.ts'
import { type Random, type Runs, errors, randomOf } from './traffic.ts'

/** Traffic of one agent: what its costs and latencies are like, how many runs fail, and how many come in a minute. */
export interface Traffic {
  readonly cost: keyof typeof SHAPES
  readonly latency: keyof typeof SHAPES
  readonly error_rate: number
  readonly runs_per_minute: number
  readonly baseline_runs: number
}

/** What the release that is watched does worse: of means a fraction, of the error rate a difference. */
export interface Worse {
  readonly cost?: number
  readonly latency?: number
  readonly errors?: number
}

const NO_RUNS = { moments: NO_MOMENTS, clusters: new Map(), blocks: () => new Map() }
/** A release that is new: there are no earlier days to compare with. */
const NO_DAYS = { cost_per_run_usd: NO_RUNS, latency_ms: NO_RUNS, error_rate: NO_RUNS }

/** Looks of a watch of two hours. */
export const TICKS = 120

/** At which tick each watch raised an alarm; undefined for one that raised none. */
export function alarmTicks(
  name: string,
  traffic: Traffic,
  worse: Worse,
  limits: WatchLimits,
  { reps, seed }: Sampling,
): (number | undefined)[] {
  const random = randomOf(seed, `ticks ${name} ${JSON.stringify([traffic, worse, limits])}`)
  return Array.from({ length: reps }, () => alarmTick(random, traffic, worse, limits))
}

/**
 * One watch, looked at minute by minute by the code that the service runs: what it sees of each side is cut into 24
 * blocks of time, as from rollups.
 */
function alarmTick(random: Random, traffic: Traffic, worse: Worse, limits: WatchLimits): number | undefined {
  const counts = arrivals(random, traffic.runs_per_minute)
  const most = counts.at(-1)!
  const baseline = sideOf(random, traffic, traffic.baseline_runs, {})
  const candidate = sideOf(random, traffic, most, worse)
  const frozen = samplesAt(baseline, traffic.baseline_runs)
  for (const [index, runs] of counts.entries()) {
    if (runs < 10) continue
    const readings = readWatch(
      {
        baseline: frozen,
        candidate: samplesAt(candidate, runs),
        earlier: NO_DAYS,
        slots: slotKind({ since: 0, until: TICKS * MINUTE_MS }),
      },
      limits,
    )
    const verdict: WatchVerdict = watchVerdict(readings, { min_runs: DEFAULT_MIN_RUNS, isOver: false })
    if (verdict.state === 'regressed') return index + 1
  }
  return undefined
}

/** Runs up to each tick: they come at random (Poisson), so many in a minute on average. */
function arrivals({ uniform }: Random, perMinute: number): number[] {
  const counts: number[] = []
  for (let tick = 0, runs = 0; tick < TICKS; tick++) {
    for (let left = perMinute + Math.log(1 - uniform()); left > 0; left += Math.log(1 - uniform())) runs += 1
    counts.push(runs)
  }
  return counts
}

type Side = Readonly<Record<keyof ReturnType<typeof samplesOf>, Runs>>

function sideOf(random: Random, { cost, latency, error_rate }: Traffic, n: number, worse: Worse): Side {
  return {
    cost_per_run_usd: SHAPES[cost]!(random, n, worse.cost ?? 0),
    latency_ms: SHAPES[latency]!(random, n, worse.latency ?? 0),
    error_rate: errors(error_rate)(random, n, worse.errors ?? 0),
  }
}

function samplesAt(side: Side, n: number): ReturnType<typeof samplesOf> {
  return {
    cost_per_run_usd: inTime(side.cost_per_run_usd, n),
    latency_ms: ofASecond(inTime(side.latency_ms, n)),
    error_rate: inTime(side.error_rate, n),
  }
}

/** Latencies of 10,000 units as ones of a second: a watch waits until runs that last a minute are seen. */
function ofASecond({ moments, clusters }: Sample): Sample {
  return {
    moments: { n: moments.n, mean: moments.mean / 10, m2: moments.m2 / 100 },
    clusters: new Map(Array.from(clusters, ([key, { n, sum }]) => [key, { n, sum: sum / 10 }])),
  }
}
