import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'

/** One measured figure. `ratio` compares it with a limit measured in the same run. */
export interface Figure {
  readonly scenario: string
  readonly what: string
  readonly value: number
  readonly unit: 'ms' | 'µs' | 'aggregates/s' | 'events/s' | 'req/s' | 'MB' | 'kB' | 'bytes' | 'x'
  readonly target?: { readonly atMost?: number; readonly atLeast?: number }
}

interface BenchOptions {
  /** A short run that only shows that the scenarios work: small data, few rounds, no thresholds. */
  readonly quick: boolean
  /** Largest number of events, where a scenario grows: per side of a diff, in all for growth. */
  readonly size: number
}

/** A group of measurements that belong together. */
export interface Scenario {
  readonly name: string
  readonly about: string
  run(options: BenchOptions, report: (figure: Figure) => void): Promise<void>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that the given share of values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** Times of `rounds` calls after a warm-up, ms. */
export async function timesOf(rounds: number, call: (round: number) => Promise<unknown>): Promise<number[]> {
  for (let warm = 0; warm < 3; warm++) await call(-1 - warm)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    await call(round)
    times.push(performance.now() - startedAt)
  }
  return times
}

/** Runs a side from which on a diff compares so many of the 50 tasks and 500 tenants of `benchEvent` that have sums. */
const LEAST_GROUPS = [
  [100_000, 550],
  [10_000, 50],
] as const

/** Throws where a diff of two releases with as many runs each did not look at tenants and tasks. */
export function requireSegmentRegressions(diff: string, runs: number): void {
  const { statistics } = JSON.parse(diff) as {
    statistics: { segment_regressions?: { groups: number } | null }
  }
  const groups = statistics.segment_regressions?.groups ?? 0
  const [, least] = LEAST_GROUPS.find(([from]) => runs >= from) ?? [0, 0]
  if (groups < least) throw new Error(`the diff compared ${groups} tenants and tasks, not ${least} or more`)
}

/**
 * How many cores the machine had busy, by whatever process, since this was last called; called again at once, for
 * another figure of the same measurement, it answers the same.
 */
export function busyCores(): () => number {
  let before = cpuTimes()
  let busy: number | undefined
  return function sinceLastCall() {
    const now = cpuTimes()
    const passed = (now.all - before.all) / cpus().length
    if (busy === undefined || passed > 100) {
      busy = (now.busy - before.busy) / (passed || 1)
      before = now
    }
    return busy
  }
}

/** Of all cores together, ms. */
function cpuTimes(): { busy: number; all: number } {
  const times = cpus().map(cpu => cpu.times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  const all = times.reduce((sum, time) => sum + Object.values(time).reduce((a, b) => a + b, 0), 0)
  return { busy: all - idle, all }
}

/** The machine, as a line of the report. */
export function machine(): string {
  const [cpu] = cpus()
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, Node ${process.versions.node}, ${process.platform} ${process.arch}`
}
