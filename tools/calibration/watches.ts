import type { Count } from '../../src/rules/statistics/rates.ts'
import { designEffectOf } from '../../src/rules/statistics/variances.ts'
import type { Reading } from '../../src/models/answers/reading.ts'
import { watchMean, watchRate } from '../../src/features/watch/rules_sequential.ts'
import { alone, inTime } from './coverage.ts'
import type { Sampling } from './decisions.ts'
import { type Runs, type Shape, byLabel, errors, randomOf } from './traffic.ts'

const [BASELINE_RUNS, MOST_RUNS] = [1000, 5000]
/** Runs of the candidate at which it is looked at: often at first, when a release that fails outright shows. */
const CHECKS = [
  ...Array.from({ length: 18 }, (_, i) => 10 + 5 * i),
  ...Array.from({ length: 197 }, (_, i) => 100 + 25 * i),
]
const [MEAN_LIMIT, RATE_LIMIT] = [0.1, 0.02]

/** How a kind of watch went. */
export interface Watches {
  readonly alarms: number
  /** Candidate's runs at the alarm that half of those that raised one needed; null without any. */
  readonly median_runs: number | null
}

/** Where the design effect of the baseline comes from. */
export type Dependence = 'ignored' | 'blocks' | 'sessions'

/** Watches of a mean with a limit of +10 %, whose candidate is changed by so much. */
export function meanWatches(
  shape: Shape,
  name: string,
  change: number,
  dependence: Dependence,
  { reps, seed }: Sampling,
): Watches {
  const random = randomOf(seed, `watch ${name} ${change} ${dependence}`)
  return watched(reps, () => {
    const [baseline, candidate] = [shape(random, BASELINE_RUNS, 0), shape(random, MOST_RUNS, change)]
    const frozen = {
      baseline: alone(baseline, BASELINE_RUNS).moments,
      design_effect: designEffect(baseline, dependence),
      limit: MEAN_LIMIT,
    }
    return runs => watchMean(frozen, alone(candidate, runs).moments)
  })
}

function designEffect(baseline: Runs, dependence: Dependence): number {
  if (dependence === 'ignored') return 1
  const measured =
    dependence === 'blocks'
      ? designEffectOf(inTime(baseline, BASELINE_RUNS))
      : designEffectOf(byLabel(baseline, BASELINE_RUNS), 'units')
  return measured ?? 1
}

/** Watches of errors with a limit of +2 points, whose rate goes from one to another. */
export function rateWatches(from: number, to: number, { reps, seed }: Sampling): Watches {
  const random = randomOf(seed, `watch errors ${from} ${to}`)
  return watched(reps, () => {
    const [baseline, candidate] = [errors(from)(random, BASELINE_RUNS, 0), errors(to)(random, MOST_RUNS, 0)]
    const counted = ({ sums }: Runs, runs: number): Count => ({ events: sums[runs]!, runs })
    const frozen = { baseline: counted(baseline, BASELINE_RUNS), design_effect: 1, limit: RATE_LIMIT }
    return runs => watchRate(frozen, counted(candidate, runs))
  })
}

function watched(reps: number, start: () => (runs: number) => Reading): Watches {
  const alarms: number[] = []
  for (let i = 0; i < reps; i++) {
    const read = start()
    const alarm = CHECKS.find(runs => read(runs).alarm !== null)
    if (alarm !== undefined) alarms.push(alarm)
  }
  alarms.sort((a, b) => a - b)
  return { alarms: alarms.length / reps, median_runs: alarms[Math.floor(alarms.length / 2)] ?? null }
}
