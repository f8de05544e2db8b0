import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import { decideChange } from '../../src/rules/statistics/decide.ts'
import type { MetricStatistics } from '../../src/rules/statistics/metric.ts'
import type { Moments } from '../../src/rules/statistics/samples.ts'
import { inTime } from './coverage.ts'
import type { Sampling } from './decisions.ts'
import { type Effort, type Section, share } from './effort.ts'
import { percent, table } from './markdown.ts'
import { type Random, type Runs, errors, independent, randomOf } from './traffic.ts'

/** What comparisons don't claim to hold. */
export function unclaimedSection(effort: Effort): Section {
  const part = share(effort, 20)
  const four = [2981, 5000].map(runs => {
    const { one, all, worse } = fourMetrics(runs, part)
    return [
      `four metrics, ${runs} runs a side`,
      `passes one limit: ${percent(one)}; all four: ${percent(all)}; some metric \`worse\`: ${percent(worse, 1)}`,
    ]
  })
  const unequal = [
    [5000, 50, 1.5],
    [5000, 50, 2],
    [50, 5000, 1.5],
    [50, 5000, 2],
    [200, 5000, 2],
  ] as const
  const ofUnequal = unequal.map(([baseline, candidate, sigma]) => {
    const { covers, worse, fails } = unequalSides(baseline, candidate, sigma, part)
    return [
      `log-normal with σ ${sigma}, ${baseline} against ${candidate} runs`,
      `holds the truth: ${percent(covers)}; \`worse\`: ${percent(worse, 1)}; fails +10 %: ${percent(fails, 1)}`,
    ]
  })
  return {
    text: `## What is not claimed

Unchanged releases, in percent of ${part.reps} comparisons. Four metrics are three costs, log-normal with σ 1 and a limit of +10 %, and
errors of 5 % with a limit of +2 points, all independent of each other.

${table(['', 'of unchanged releases'], [...four, ...ofUnequal])}`,
  }
}

const [PERCENT, POINTS] = [0.1, 0.02]
/** Metrics of a diff that have a limit, independent of each other: cost, latency, tokens; and errors. */
const MEANS = 3

/** Unchanged releases: what one limit lets pass, what four do at once, and for which some metric is `worse`. */
function fourMetrics(
  runs: number,
  { reps, seed }: Sampling,
): { readonly one: number; readonly all: number; readonly worse: number } {
  const random = randomOf(seed, `four metrics ${runs}`)
  const [mean, rate] = [independent('log-normal'), errors(0.05)]
  const sample = (draw: (random: Random, n: number, change: number) => Runs) =>
    inTime(draw(random, runs, 0), runs)
  const found = { one: 0, all: 0, worse: 0 }
  for (let rep = 0; rep < reps; rep++) {
    const means = Array.from({ length: MEANS }, () => compareMeans(sample(mean), sample(mean)))
    const failed = compareRates(sample(rate), sample(rate))
    const passes = [
      ...means.map(own => isPassed(own, { limit: PERCENT, of: 'relative_change' })),
      isPassed(failed, { limit: POINTS, of: 'difference' }),
    ]
    if (passes[0]) found.one += 1
    if (passes.every(Boolean)) found.all += 1
    if ([...means, failed].some(({ verdict }) => verdict === 'worse')) found.worse += 1
  }
  return { one: found.one / reps, all: found.all / reps, worse: found.worse / reps }
}

function isPassed(own: MetricStatistics, limit: Parameters<typeof decideChange>[1]): boolean {
  return decideChange(own, limit, 'block').passed
}

/** Very skewed runs of sides of very unequal sizes, unchanged: intervals that hold the truth, and limits that fail. */
function unequalSides(
  baselineRuns: number,
  candidateRuns: number,
  sigma: number,
  { reps, seed }: Sampling,
): { readonly covers: number; readonly worse: number; readonly fails: number } {
  const random = randomOf(seed, `unequal ${baselineRuns} ${candidateRuns} ${sigma}`)
  const side = (n: number) => ({ moments: skewed(n, sigma, random), clusters: new Map() })
  const found = { covers: 0, worse: 0, fails: 0 }
  for (let rep = 0; rep < reps; rep++) {
    const own = compareMeans(side(baselineRuns), side(candidateRuns), { over_window: true })
    const { low, high } = own.difference ?? { low: null, high: null }
    if (low !== null && high !== null && low <= 0 && high >= 0) found.covers += 1
    if (own.verdict === 'worse') found.worse += 1
    if (decideChange(own, { limit: PERCENT, of: 'relative_change' }, 'block').outcome === 'fail')
      found.fails += 1
  }
  return { covers: found.covers / reps, worse: found.worse / reps, fails: found.fails / reps }
}

function skewed(n: number, sigma: number, random: Random): Moments {
  let [sum, squares] = [0, 0]
  for (let run = 0; run < n; run++) {
    const value = Math.exp(sigma * random.normal() - (sigma * sigma) / 2)
    sum += value
    squares += value * value
  }
  return { n, mean: sum / n, m2: squares - (sum * sum) / n }
}
