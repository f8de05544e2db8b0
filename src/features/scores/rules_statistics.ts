import type { Policy } from '../../models/documents/policy.ts'
import { compareMeans, compareRates, compareSteps } from '../../rules/statistics/compare.ts'
import { type Estimate, factorAt, roundEstimate, sequentialFactor } from '../../rules/statistics/intervals.ts'
import {
  type CompareOptions,
  type MetricStatistics,
  type Settings,
  reported,
  settingsOf,
} from '../../rules/statistics/metric.ts'
import { deflated, sequentialRate, wilson } from '../../rules/statistics/rates.ts'
import {
  type IntegerAggregate,
  type Moments,
  NO_MOMENTS,
  type Sample,
  byEnds,
  sampleOf,
  spreadBy,
  varianceOf,
} from '../../rules/statistics/samples.ts'
import { MILLION } from '../../rules/rollup.ts'
import { round12 } from '../../base/numbers.ts'
import { clustersOf, designEffectOf } from '../../rules/statistics/variances.ts'
import { type CaseTable, partnersOf } from './rules_cases.ts'
import { missingOf } from './rules_missing.ts'
import {
  type CaseMeans,
  type Pairs,
  caseEstimate,
  mcnemar,
  pairedFindings,
  sampleOfCases,
} from './rules_paired.ts'
import {
  LEAST_SHARED_CASES,
  type ScoreAggregate,
  type SuiteImport,
  type SuitePair,
  areOtherJudges,
} from './rules_suites.ts'
import type { ScoreStatistics } from '../../rules/suite_limits.ts'

/** The scores of one side: of its runs, and of the newest import of each suite. */
export interface ScoreSide {
  readonly runs: readonly ScoreAggregate[]
  /** Times to first token of runs that succeeded, ms. */
  readonly first_tokens?: readonly ScoreAggregate[]
  readonly suites: readonly SuiteImport[]
}

export interface ScoreSides {
  readonly baseline: ScoreSide
  readonly candidate: ScoreSide
}

/** The imports of each suite, by name. */
export function suitePairs({ baseline, candidate }: ScoreSides): Map<string, SuitePair> {
  const names = new Set([...baseline.suites, ...candidate.suites].map(({ suite }) => suite))
  const of = (side: ScoreSide, name: string) => side.suites.find(({ suite }) => suite === name)
  return new Map(
    [...names].sort().map(name => [name, { baseline: of(baseline, name), candidate: of(candidate, name) }]),
  )
}

/**
 * Each score that a side has, by name: means, their intervals, and the change. Cases of a suite are no runs, so the
 * fewest runs that the workspace asks for don't count for them, nor does when they ran.
 */
export function scoreStatistics(
  sides: ScoreSides,
  options: CompareOptions,
  drops: Policy['max_score_drop'],
): ScoreStatistics[] {
  const { baseline, candidate } = sides
  const given = { ...options, better: 'higher' } as const
  const [b, c] = [byName(baseline.runs), byName(candidate.runs)]
  const ofRuns = [...new Set([...b.keys(), ...c.keys()])].map(name => ({
    name,
    ...compared(b.get(name) ?? [], c.get(name) ?? [], given, drops?.[name]),
  }))
  const ofSuites = [...suitePairs(sides).values()].flatMap(pair => scoresOfSuite(pair, options, drops))
  return [...ofRuns, ...ofSuites].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function byName(aggregates: readonly ScoreAggregate[]): Map<string, ScoreAggregate[]> {
  return Map.groupBy(aggregates, ({ name }) => name)
}

/** The scores of one suite. */
export function scoresOfSuite(
  pair: SuitePair,
  given: CompareOptions,
  drops: Policy['max_score_drop'],
): ScoreStatistics[] {
  const options = { ...given, better: 'higher', min_runs: 0, over_window: true } as const
  const { baseline, candidate } = pair
  const [b, c] = [byName(baseline?.aggregates ?? []), byName(candidate?.aggregates ?? [])]
  return [...new Set([...b.keys(), ...c.keys()])].map(score => {
    const [before, after] = [b.get(score), c.get(score)]
    const name = `${(baseline ?? candidate)!.suite}/${score}`
    const missing = missingOf(score, pair)
    return {
      name,
      ...(before === undefined ? {} : { baseline_import_id: baseline!.import_id }),
      ...(after === undefined ? {} : { candidate_import_id: candidate!.import_id }),
      ...comparedCases(score, pair, [before ?? [], after ?? []], options, drops?.[name]),
      ...(missing === undefined ? {} : { missing }),
    }
  })
}

/** A score of a suite: each case with itself where both imports have most of them. */
function comparedCases(
  score: string,
  pair: SuitePair,
  [b, c]: readonly [readonly IntegerAggregate[], readonly IntegerAggregate[]],
  options: CompareOptions,
  drop: number | undefined,
): Omit<ScoreStatistics, 'name'> {
  const all = compared(b, c, options, drop)
  const [before, after] = [pair.baseline?.table, pair.candidate?.table]
  const own = {
    baseline: ownOf(before, score, all.baseline, options),
    candidate: ownOf(after, score, all.candidate, options),
  }
  if (areOtherJudges(pair)) {
    return { ...own, change: notComparable(all.change), not_comparable_because: 'judges' }
  }
  const pairs = before && after && pairsOf(before, after, score)
  if (pairs === undefined || Math.min(pairs.baseline_share, pairs.candidate_share) < LEAST_SHARED_CASES) {
    return { ...own, change: all.change }
  }
  const { isBinary, epochs } = pairs
  const [from, to] = [sampleOfCases(pairs.before), sampleOfCases(pairs.after)]
  const planned = plannedOf(drop, isBinary ? 1 : from.moments.mean)
  const settings = settingsOf({ ...options, ...planned }, isBinary ? 0.02 : 0.1)
  const fell = pairs.differences.filter(d => d < 0).length
  const rose = pairs.differences.filter(d => d > 0).length
  return {
    ...own,
    change: reported(from, to, settings, pairedFindings(pairs, settings)),
    paired: {
      cases: pairs.before.length,
      baseline_share: round12(pairs.baseline_share),
      candidate_share: round12(pairs.candidate_share),
      epochs,
      mcnemar_p: isBinary && epochs === 1 ? round12(mcnemar(fell, rose)) : null,
    },
  }
}

function ownOf(
  table: CaseTable | undefined,
  score: string,
  unless: Estimate | null,
  options: CompareOptions,
): Estimate | null {
  return table?.scores.has(score) === true
    ? roundEstimate(caseEstimate(meansOf(table, score), settingsOf(options, 0)))
    : unless
}

/** The cases that both imports have with a score. */
interface SharedCases extends Pairs {
  /** Share of the side's cases with this score. */
  readonly baseline_share: number
  readonly candidate_share: number
}

/** The cases of two imports that both have a score; undefined where neither shares any. */
function pairsOf(baseline: CaseTable, candidate: CaseTable, name: string): SharedCases | undefined {
  const [b, c] = [baseline.scores.get(name), candidate.scores.get(name)]
  if (b === undefined || c === undefined) return undefined
  const { numbers, shared } = partnersOf(candidate, baseline)
  const [before, after] = [new Float64Array(shared), new Float64Array(shared)]
  const differences = new Float64Array(shared)
  const clusters: (number | null)[] = []
  const tries: number[] = []
  const hasClusters = baseline.clusters !== null || candidate.clusters !== null
  let [pairs, isSingle] = [0, true]
  for (let number = 0; number < numbers.length; number++) {
    const other = numbers[number]!
    if (other < 0) continue
    const [nb, nc] = [b.n[other]!, c.n[number]!]
    if (nb === 0 || nc === 0) continue
    const [x, y] = [b.sum[other]! / nb, c.sum[number]! / nc]
    before[pairs] = x / MILLION
    after[pairs] = y / MILLION
    // Of millionths, so that equal steps are equal.
    differences[pairs] = (y - x) / MILLION
    if (hasClusters) clusters.push(candidate.clusters?.[number] ?? baseline.clusters?.[other] ?? null)
    isSingle &&= nb === 1 && nc === 1
    tries.push(nb, nc)
    pairs += 1
  }
  if (pairs === 0) return undefined
  const share = (all: Float64Array): number => pairs / all.reduce((scored, n) => scored + Number(n > 0), 0)
  return {
    before: before.subarray(0, pairs),
    after: after.subarray(0, pairs),
    differences: differences.subarray(0, pairs),
    clusters: hasClusters ? clusters : null,
    isBinary: b.isBinary && c.isBinary,
    epochs: isSingle ? 1 : medianOf(tries),
    baseline_share: share(b.n),
    candidate_share: share(c.n),
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A score of the cases of one import. */
function meansOf(table: CaseTable, name: string): CaseMeans {
  const { n, sum, isBinary } = table.scores.get(name)!
  const [means, tries, clusters]: [number[], number[], (number | null)[]] = [[], [], []]
  for (let number = 0; number < n.length; number++) {
    if (n[number] === 0) continue
    means.push(sum[number]! / n[number]! / MILLION)
    tries.push(n[number]!)
    if (table.clusters !== null) clusters.push(table.clusters[number]!)
  }
  return {
    means: Float64Array.from(means),
    tries: Float64Array.from(tries),
    clusters: table.clusters === null ? null : clusters,
    isBinary,
  }
}

/** Scores that were judged by others are no measure of the same thing. */
function notComparable(change: MetricStatistics): MetricStatistics {
  const isKnown = change.inconclusive_because !== 'no_data' && change.inconclusive_because !== 'too_few_runs'
  return {
    ...change,
    difference: null,
    relative_change: null,
    matched: null,
    comparability_doubt: 'not_comparable',
    smallest_provable_limit: null,
    verdict: 'inconclusive',
    inconclusive_because: isKnown ? 'not_comparable' : change.inconclusive_because,
  }
}

function compared(
  baseline: readonly IntegerAggregate[],
  candidate: readonly IntegerAggregate[],
  options: CompareOptions,
  drop: number | undefined,
): Compared {
  const isRate = [...baseline, ...candidate].every(isOfZeroAndOne)
  const mean = inUnits(sampleOf(baseline)).moments.mean
  return comparedBy(
    {
      compare: isRate ? compareRates : compareSteps,
      estimate: isRate ? rateEstimate : meanEstimate,
      inUnits,
    },
    [baseline, candidate],
    { ...options, ...plannedOf(drop, isRate ? 1 : mean) },
  )
}

type Compared = Pick<ScoreStatistics, 'baseline' | 'candidate' | 'change'>

/** The time to first token of runs that report it; undefined where none does. */
export function firstTokenStatistics(
  { baseline, candidate }: ScoreSides,
  options: CompareOptions,
  planned: CompareOptions,
): Compared | undefined {
  const [b, c] = [baseline.first_tokens ?? [], candidate.first_tokens ?? []]
  if (b.length + c.length === 0) return undefined
  const how = { compare: compareMeans, estimate: meanEstimate, inUnits: (sample: Sample) => sample }
  return comparedBy(how, [b, c], { ...options, ...planned })
}

function comparedBy(
  {
    compare,
    estimate,
    inUnits: unit,
  }: {
    readonly compare: typeof compareMeans
    readonly estimate: typeof meanEstimate
    readonly inUnits: (sample: Sample) => Sample
  },
  [baseline, candidate]: readonly [readonly IntegerAggregate[], readonly IntegerAggregate[]],
  options: CompareOptions,
): Compared {
  const [b, c] = [unit(sampleOf(baseline)), unit(sampleOf(candidate))]
  const own = (sample: Sample): Estimate | null =>
    sample.moments.n === 0 ? null : roundEstimate(estimate(sample, settingsOf(options, 0)))
  const join = options.over_window === true ? undefined : joiningOf([baseline, candidate], options.match)
  const change =
    join === undefined
      ? compare(b, c, options)
      : compare(unit(sampleOf(baseline.map(join.aggregate))), unit(sampleOf(candidate.map(join.aggregate))), {
          ...options,
          match: join.match,
        })
  return { baseline: own(b), candidate: own(c), change }
}

/** Blocks of time that runs lie in at least, and runs with a score per block: a block with one run says nothing of a mean. */
const LEAST_BLOCKS = 8
const SCORED_PER_BLOCK = 6

/** What makes fewer, longer blocks of those of the time in which both ran, where few runs have a score; else undefined. */
function joiningOf(
  sides: readonly (readonly IntegerAggregate[])[],
  match: CompareOptions['match'],
):
  | { readonly aggregate: (aggregate: IntegerAggregate) => IntegerAggregate; readonly match: typeof match }
  | undefined {
  if (match?.by !== 'common_time') return undefined
  const isIn = ({ cluster }: IntegerAggregate): boolean =>
    Number(cluster) >= 0 && Number(cluster) < match.blocks
  const scored = sides.map(side => side.filter(isIn).reduce((sum, { n }) => sum + n, 0))
  const blocks = Math.max(LEAST_BLOCKS, Math.floor(Math.min(...scored) / SCORED_PER_BLOCK))
  if (blocks >= match.blocks) return undefined
  const aggregate = (own: IntegerAggregate): IntegerAggregate => {
    const block = Number(own.cluster)
    const cluster = isIn(own) ? Math.floor((block * blocks) / match.blocks) : Math.min(block, blocks)
    return { ...own, cluster: String(cluster) }
  }
  return { aggregate, match: { ...match, blocks } }
}

/** A score that passes or doesn't is a rate. Sums of zeros and ones are exact at any size. */
function isOfZeroAndOne({ n, sum, sum_of_squares }: IntegerAggregate): boolean {
  return sum_of_squares === sum * MILLION && sum >= 0 && sum <= n * MILLION
}

function inUnits({ moments, clusters, blocks }: Sample): Sample {
  return {
    moments: momentsInUnits(moments),
    clusters: new Map(
      Array.from(clusters, ([key, cluster]) => [key, { n: cluster.n, sum: cluster.sum / MILLION }]),
    ),
    blocks: () => new Map(Array.from(blocks!(), ([block, own]) => [block, momentsInUnits(own)])),
  }
}

function momentsInUnits({ n, mean, m2 }: Moments): Moments {
  return { n, mean: mean / MILLION, m2: m2 / MILLION ** 2 }
}

/** Runs are planned for a fraction of the mean. */
function plannedOf(drop: number | undefined, mean: number): { planned_limit?: number } {
  return drop === undefined || !(mean > 0) ? {} : { planned_limit: drop / mean }
}

/** A rate with its interval, by runs that count less where blocks of time differ. */
function rateEstimate(sample: Sample, { alpha, sequential, ...settings }: Settings): Estimate {
  const { n, mean } = sample.moments
  const count = deflated({ events: Math.round(mean * n), runs: n }, designEffectOf(sample) ?? 1)
  return sequential
    ? sequentialRate(count, alpha)
    : wilson(count, factorAt({ ...settings, alpha, sequential }, n, n, Infinity))
}

/** A mean with its interval: of independent values, or wider where blocks of time differ. */
function meanEstimate(given: Sample, settings: Settings): Estimate {
  const moments = spreadBy(given.moments, byEnds(given)(given.moments, NO_MOMENTS))
  const sample = { moments, clusters: given.clusters }
  const { n, mean } = moments
  if (n < 2) return { estimate: mean, low: null, high: null }
  const designEffect = designEffectOf(sample) ?? 1
  const df = designEffect > 1 ? clustersOf(sample, sample).baseline - 1 : n - 1
  const factor = settings.sequential
    ? sequentialFactor(n, settings.alpha, settings.tuned_for_runs)
    : factorAt(settings, n, n, df)
  const margin = factor * Math.sqrt((designEffect * varianceOf(sample.moments)) / n)
  return { estimate: mean, low: mean - margin, high: mean + margin }
}
