import { compareMeans } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import type { CompareOptions, MetricStatistics } from '../../src/rules/statistics/metric.ts'
import { type Cut, inTime } from './coverage.ts'
import { kayenta } from './mann_whitney.ts'
import { MEAN, type Runs, type Shape, randomOf } from './traffic.ts'

/** The limit that is decided: +10 %. */
const LIMIT = 0.1
/** How often a gate that is polled asks. */
const CHECKS = 100

type Word = 'pass' | 'fail' | 'inconclusive'

/** Shares of all repetitions; the rest is inconclusive. */
export interface Shares {
  readonly pass: number
  readonly fail: number
}

interface Check {
  readonly baseline: Runs
  readonly candidate: Runs
  readonly mean: number
  readonly statistics: MetricStatistics
}

const RULES = {
  /** A limit on the candidate's mean, at exactly 1.1 times the true mean of the baseline. */
  point: ({ mean }) => word(mean <= (1 + LIMIT) * MEAN),
  /** The same once both sides cost 10 % more, or less, than when it was set. */
  point_dearer: ({ mean }) => word(1.1 * mean <= (1 + LIMIT) * MEAN),
  point_cheaper: ({ mean }) => word(0.9 * mean <= (1 + LIMIT) * MEAN),
  kayenta: ({ baseline, candidate }) => word(kayenta(baseline, candidate, 1 + LIMIT)),
  /** The relative limit decided by the estimate alone. */
  estimate: ({ statistics }) => word(decideChange(statistics, RELATIVE, 'estimate').estimate! <= LIMIT),
  interval: ({ statistics }) => decideChange(statistics, RELATIVE, 'block').outcome,
  /** The verdict without a limit: fails where it is `worse`. */
  worse: ({ statistics }) => (statistics.verdict === 'worse' ? 'fail' : 'inconclusive'),
} as const satisfies Record<string, (check: Check) => Word>

export type Rule = keyof typeof RULES
const RELATIVE = { limit: LIMIT, of: 'relative_change' } as const

function word(passes: boolean): Word {
  return passes ? 'pass' : 'fail'
}

export interface Sampling {
  readonly reps: number
  readonly seed: number
}

/** One look at `n` runs of each side, of which the candidate's mean is changed by so much. */
export function oneCheck(
  shape: Shape,
  name: string,
  n: number,
  change: number,
  rules: readonly Rule[],
  { reps, seed }: Sampling,
): Record<Rule, Shares> {
  const random = randomOf(seed, `${name} ${n} ${change}`)
  const tally = new Tally<Rule>()
  for (let i = 0; i < reps; i++) {
    const [baseline, candidate] = [shape(random, n, 0), shape(random, n, change)]
    const statistics = compareMeans(inTime(baseline, n), inTime(candidate, n))
    const check = { baseline, candidate, statistics, mean: candidate.sums[n]! / n }
    for (const rule of rules) tally.add(rule, RULES[rule](check))
  }
  return tally.shares(reps)
}

export type PolledRule = 'point' | 'interval' | 'sequential' | 'sequential_worse'

/** Up to 100 looks while `n` runs of each side come in, by rules that end at their first verdict. */
export function polled(
  shape: Shape,
  name: string,
  n: number,
  change: number,
  rules: readonly PolledRule[],
  { reps, seed }: Sampling,
): Record<PolledRule, Shares> {
  const random = randomOf(seed, `${name} ${n} ${change}`)
  const tally = new Tally<PolledRule>()
  const sequential: CompareOptions = { sequential: true, tuned_for_runs: 2 * n }
  for (let i = 0; i < reps; i++) {
    const [baseline, candidate] = [shape(random, n, 0), shape(random, n, change)]
    const check = (runs: number, options: CompareOptions): MetricStatistics =>
      compareMeans(inTime(baseline, runs), inTime(candidate, runs), options)
    const outcomes: Record<PolledRule, (runs: number) => Word> = {
      // Whoever asks a rule that has no third answer asks until it lets them pass.
      point: runs => (candidate.sums[runs]! / runs <= (1 + LIMIT) * MEAN ? 'pass' : 'inconclusive'),
      interval: runs => decideChange(check(runs, {}), RELATIVE, 'block').outcome,
      sequential: runs => decideChange(check(runs, sequential), RELATIVE, 'block').outcome,
      sequential_worse: runs => (check(runs, sequential).verdict === 'worse' ? 'fail' : 'inconclusive'),
    }
    for (const rule of rules) tally.add(rule, firstWord(n, outcomes[rule]))
  }
  return tally.shares(reps)
}

function firstWord(n: number, ask: (runs: number) => Word): Word {
  for (let check = 1; check <= CHECKS; check++) {
    const answer = ask(Math.floor((n * check) / CHECKS))
    if (answer !== 'inconclusive') return answer
  }
  return 'inconclusive'
}

class Tally<R extends string> {
  readonly #counts = new Map<R, { pass: number; fail: number; inconclusive: number }>()

  add(rule: R, answer: Word): void {
    const counts = this.#counts.get(rule) ?? { pass: 0, fail: 0, inconclusive: 0 }
    counts[answer] += 1
    this.#counts.set(rule, counts)
  }

  /** Rules that were not requested are not in it. */
  shares(reps: number): Record<R, Shares> {
    const shares = Array.from(this.#counts, ([rule, { pass, fail }]) => [
      rule,
      { pass: pass / reps, fail: fail / reps },
    ])
    return Object.fromEntries(shares) as Record<R, Shares>
  }
}

/** Two unchanged sides, looked at 100 times: in what share some difference was claimed by each look, and a rise. */
export interface FalseDifferences {
  readonly byCheck: readonly number[]
  readonly total: number
  readonly worse: number
}

export function falseDifferences(
  shape: Shape,
  name: string,
  n: number,
  { cut, options, fixedBaseline = false }: Checked,
  { reps, seed }: Sampling,
): FalseDifferences {
  const random = randomOf(seed, `${name} ${n}`)
  const first = Array.from({ length: CHECKS }, () => 0)
  let rises = 0
  for (let i = 0; i < reps; i++) {
    const [baseline, candidate] = [shape(random, n, 0), shape(random, n, 0)]
    const whole = fixedBaseline ? cut(baseline, n, 'b') : undefined
    for (let check = 0; check < CHECKS; check++) {
      const runs = Math.floor((n * (check + 1)) / CHECKS)
      const { difference } = compareMeans(
        whole ?? cut(baseline, runs, 'b'),
        cut(candidate, runs, 'c'),
        options,
      )
      if (runs < 50 || difference === null || (difference.low! <= 0 && difference.high! >= 0)) continue
      first[check]! += 1
      if (difference.low! > 0) rises += 1
      break
    }
  }
  let sum = 0
  const byCheck = first.map(count => (sum += count) / reps)
  return { byCheck, total: sum / reps, worse: rises / reps }
}

export interface Checked {
  readonly cut: Cut
  readonly options: CompareOptions
  /** Whether the baseline has all its runs from the first look on. */
  readonly fixedBaseline?: boolean
}
