import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { compareMeans, compareRates } from '../../rules/statistics/compare.ts'
import { type Estimate, factorAt, roundEstimate, sequentialFactor } from '../../rules/statistics/intervals.ts'
import { type CompareOptions, type Settings, settingsOf } from '../../rules/statistics/metric.ts'
import { isOfSuite } from '../../rules/limits.ts'
import { varianceOf } from '../../rules/statistics/moments.ts'
import { deflated, sequentialRate, wilson } from '../../rules/statistics/rates.ts'
import { type IntegerCell, type Sample, sampleOf } from '../../rules/statistics/samples.ts'
import { clustersOf, designEffectOf } from '../../rules/statistics/variances.ts'
import { MILLION } from '../../rules/millionths.ts'

/** The sums of one score in one block of time, in millionths. */
export interface ScoreCell extends IntegerCell {
  readonly name: string
}

/** The scores of one side: of its runs, and of the newest import of each suite. */
export interface ScoreSide {
  readonly runs: readonly ScoreCell[]
  readonly suites: readonly {
    readonly suite: string
    readonly import_id: string
    readonly cells: readonly ScoreCell[]
  }[]
}

export interface ScoreSides {
  readonly baseline: ScoreSide
  readonly candidate: ScoreSide
}

type ScoreStatistics = NonNullable<DiffStatistics['scores']>[number]

/**
 * Each score that a side has, by name: means, their intervals, and the change. Cases of a suite are no runs, so the
 * fewest runs that the workspace asks for don't count for them, nor does when they ran.
 */
export function scoreStatistics(
  { baseline, candidate }: ScoreSides,
  options: CompareOptions,
  drops: Policy['max_score_drop'],
): ScoreStatistics[] {
  const [b, c] = [scoresOf(baseline), scoresOf(candidate)]
  const names = [...new Set([...b.keys(), ...c.keys()])].sort()
  return names.map(name => {
    const [of, other] = [b.get(name) ?? NONE, c.get(name) ?? NONE]
    const settings = {
      ...options,
      better: 'higher',
      ...(isOfSuite(name) ? { min_runs: 0, over_window: true } : {}),
    } as const
    const drop = drops?.[name]
    return {
      name,
      ...(of.import_id === undefined ? {} : { baseline_import_id: of.import_id }),
      ...(other.import_id === undefined ? {} : { candidate_import_id: other.import_id }),
      ...compared(of.cells, other.cells, settings, drop),
    }
  })
}

interface Scored {
  readonly cells: readonly IntegerCell[]
  readonly import_id?: string
}

const NONE: Scored = { cells: [] }

function scoresOf({ runs, suites }: ScoreSide): Map<string, Scored> {
  const ofRuns = Array.from(
    Map.groupBy(runs, ({ name }) => name),
    ([name, cells]): [string, Scored] => [name, { cells }],
  )
  const ofSuites = suites.flatMap(({ suite, import_id, cells }) =>
    cells.map((cell): [string, Scored] => [`${suite}/${cell.name}`, { cells: [cell], import_id }]),
  )
  return new Map([...ofRuns, ...ofSuites])
}

function compared(
  baseline: readonly IntegerCell[],
  candidate: readonly IntegerCell[],
  options: CompareOptions,
  drop: number | undefined,
): Pick<ScoreStatistics, 'baseline' | 'candidate' | 'change'> {
  const isRate = [...baseline, ...candidate].every(isOfZeroAndOne)
  const [b, c] = [inUnits(sampleOf(baseline)), inUnits(sampleOf(candidate))]
  const planned = plannedOf(drop, isRate ? 1 : b.moments.mean)
  const settings = { ...options, ...planned }
  const own = (sample: Sample): Estimate | null =>
    sample.moments.n === 0 ? null : roundEstimate((isRate ? rateOf : meanOf)(sample, settingsOf(settings, 0)))
  return {
    baseline: own(b),
    candidate: own(c),
    change: isRate ? compareRates(b, c, settings) : compareMeans(b, c, settings),
  }
}

/** A score that passes or doesn't is a rate. Sums of zeros and ones are exact at any size. */
function isOfZeroAndOne({ n, sum, sum_of_squares }: IntegerCell): boolean {
  return sum_of_squares === sum * MILLION && sum >= 0 && sum <= n * MILLION
}

function inUnits({ moments: { n, mean, m2 }, clusters }: Sample): Sample {
  return {
    moments: { n, mean: mean / MILLION, m2: m2 / MILLION ** 2 },
    clusters: new Map(
      Array.from(clusters, ([key, cluster]) => [key, { n: cluster.n, sum: cluster.sum / MILLION }]),
    ),
  }
}

/** Runs are planned for a fraction of the mean. */
function plannedOf(drop: number | undefined, mean: number): { planned_limit?: number } {
  return drop === undefined || !(mean > 0) ? {} : { planned_limit: drop / mean }
}

/** A rate with its interval, by runs that count less where blocks of time differ. */
function rateOf(sample: Sample, { alpha, sequential, ...settings }: Settings): Estimate {
  const { n, mean } = sample.moments
  const count = deflated({ events: Math.round(mean * n), runs: n }, designEffectOf(sample) ?? 1)
  return sequential
    ? sequentialRate(count, alpha)
    : wilson(count, factorAt({ ...settings, alpha, sequential }, n, n, Infinity))
}

/** A mean with its interval: of independent values, or wider where blocks of time differ. */
function meanOf(sample: Sample, settings: Settings): Estimate {
  const { n, mean } = sample.moments
  if (n < 2) return { estimate: mean, low: null, high: null }
  const designEffect = designEffectOf(sample) ?? 1
  const df = designEffect > 1 ? clustersOf(sample, sample).baseline - 1 : n - 1
  const factor = settings.sequential
    ? sequentialFactor(n, settings.alpha, settings.tuned_for_runs)
    : factorAt(settings, n, n, df)
  const margin = factor * Math.sqrt((designEffect * varianceOf(sample.moments)) / n)
  return { estimate: mean, low: mean - margin, high: mean + margin }
}
