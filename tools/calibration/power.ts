import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import { normalFactor } from '../../src/rules/statistics/intervals.ts'
import { settingsOf } from '../../src/rules/statistics/metric.ts'
import { isMeanProved, provingFactor, rateProvable, runsNeeded } from '../../src/rules/statistics/plan.ts'
import { alone, inTime } from './coverage.ts'
import type { Sampling } from './decisions.ts'
import { type Shape, errors, randomOf } from './traffic.ts'

/** Runs per side that a plan names, and the share of unchanged releases that pass with them; 80 % is promised. */
export interface PlannedPower {
  readonly runs: number
  /** With runs that are known to be independent. */
  readonly alone: number
  /** With runs in blocks of time, as a diff has them. */
  readonly inTime: number
}

/** Runs that are known to be independent say nothing of blocks of time. */
const CUTS = [
  ['alone', alone, { over_window: true }],
  ['inTime', inTime, {}],
] as const

/** Power to prove that a mean rose by no more than `limit`, of traffic with this coefficient of variation. */
export function meanPower(
  shape: Shape,
  name: string,
  variation: number,
  limit: number,
  { reps, seed }: Sampling,
): PlannedPower {
  const traffic = { baseline_variation: variation, candidate_variation: variation, design_effect: 1 }
  const factor = provingFactor(normalFactor())
  const planned = { planned_limit: limit, min_runs: 10 }
  const runs = runsNeeded(
    (b, c) => isMeanProved(traffic, limit, b, c, factor),
    10,
    10,
    planned,
  ).runs_per_side!
  const random = randomOf(seed, `power ${name} ${limit}`)
  const [passed, question] = [{ alone: 0, inTime: 0 }, { limit, of: 'relative_change' } as const]
  for (let i = 0; i < reps; i++) {
    const sides = [shape(random, runs, 0), shape(random, runs, 0)] as const
    for (const [name_, cut, options] of CUTS) {
      const [b, c] = sides.map(side => cut(side, runs))
      if (decideChange(compareMeans(b!, c!, options), question, 'block').passed) passed[name_] += 1
    }
  }
  return { runs, alone: passed.alone / reps, inTime: passed.inTime / reps }
}

/** Power to prove that a rate rose by no more than `limit`, as a difference. */
export function ratePower(rate: number, limit: number, { reps, seed }: Sampling): PlannedPower {
  const known = { events: rate * 1e6, runs: 1e6 }
  const planned = settingsOf({}, limit)
  const runs = rateProvable(known, known, 1, Infinity, planned).runs_needed.runs_per_side!
  const [random, shape] = [randomOf(seed, `power errors ${rate} ${limit}`), errors(rate)]
  const [passed, question] = [{ alone: 0, inTime: 0 }, { limit, of: 'difference' } as const]
  for (let i = 0; i < reps; i++) {
    const sides = [shape(random, runs, 0), shape(random, runs, 0)] as const
    for (const [name, cut, options] of CUTS) {
      const [b, c] = sides.map(side => cut(side, runs))
      if (decideChange(compareRates(b!, c!, options), question, 'block').passed) passed[name] += 1
    }
  }
  return { runs, alone: passed.alone / reps, inTime: passed.inTime / reps }
}
