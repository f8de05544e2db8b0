import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type MeasuredSide, samplesOf } from '../../rules/diff_statistics.ts'
import { HOT_SPOT_LIMITS, provenRise } from '../../rules/limits.ts'
import { PARTS, REST, STRATA_KINDS, type StrataKind, type StrataSums, byStratum } from './rules_strata.ts'
import { compareMeans, compareRates } from '../../rules/statistics/compare.ts'
import { ALPHA } from '../../rules/statistics/intervals.ts'
import { type CompareOptions, type MetricStatistics, settingsOf } from '../../rules/statistics/metric.ts'

type HotSpots = NonNullable<DiffStatistics['hot_spots']>
type HotSpot = HotSpots['found'][number]

/** Most hot spots that are listed. */
const MOST_LISTED = 20

interface Side extends Pick<MeasuredSide, 'rates'> {
  readonly strata: ReadonlyMap<StrataKind, StrataSums | undefined>
}

/**
 * Each tenant and task that both sides served, and what became worse for it: over the parts of the time in which both
 * served it, else over all of these hours. All intervals together miss the truth in 5 of 100 comparisons (Bonferroni).
 * Undefined without sums by tenant and task.
 */
export function hotSpots(
  baseline: Side,
  candidate: Side,
  { min_runs = 0, sequential = false }: Pick<CompareOptions, 'min_runs' | 'sequential'>,
): HotSpots | undefined {
  const kinds = STRATA_KINDS.flatMap(kind => {
    const [b, c] = [baseline.strata.get(kind), candidate.strata.get(kind)]
    return b === undefined || c === undefined ? [] : [{ kind, baseline: b, candidate: c }]
  })
  if (kinds.length < STRATA_KINDS.length) return undefined
  // Those of which nothing can be claimed would only widen the intervals of the others.
  const least = settingsOf({ min_runs }, 0).min_runs
  const groups = kinds.flatMap(({ kind, ...sums }) => groupsOf(kind, sums, least))
  const alpha = ALPHA / Math.max(1, groups.length * HOT_SPOT_LIMITS.length)
  const options = { alpha, min_runs, sequential }
  const found = groups.flatMap(({ kind, stratum, ...sums }): HotSpot[] => {
    const [b, c] = [
      samplesOf({ ...sums.baseline, rates: baseline.rates }),
      samplesOf({ ...sums.candidate, rates: candidate.rates }),
    ]
    return HOT_SPOT_LIMITS.flatMap(({ metric }) => {
      const compare = metric === 'error_rate' ? compareRates : compareMeans
      const matched = compare(b[metric], c[metric], {
        ...options,
        match: { by: 'common_time', blocks: PARTS },
      })
      const change =
        matched.comparability_doubt === null
          ? matched
          : compare(b[metric], c[metric], { ...options, over_window: true })
      return change.verdict === 'worse' ? [spotOf(change, { kind, stratum, metric })] : []
    })
  })
  return { groups: groups.length, found_in_all: found.length, found: listedOf(found) }
}

/** Those with most runs, and of each metric the one with the largest proven rise: limits are decided by the list. */
function listedOf(found: readonly HotSpot[]): HotSpot[] {
  const lowOf = (spot: HotSpot): number => provenRise(spot) ?? -Infinity
  const bySize = found.toSorted((x, y) => y.candidate_runs - x.candidate_runs || x.stratum - y.stratum)
  const worst = HOT_SPOT_LIMITS.flatMap(({ metric }) => {
    const own = bySize.filter(spot => spot.metric === metric)
    return own.length === 0 ? [] : [own.reduce((a, b) => (lowOf(b) > lowOf(a) ? b : a))]
  })
  const listed = new Set([...worst, ...bySize].slice(0, MOST_LISTED))
  return bySize.filter(spot => listed.has(spot))
}

function spotOf(
  { baseline_runs, candidate_runs, matched, difference, relative_change, ...change }: MetricStatistics,
  what: Pick<HotSpot, 'kind' | 'stratum' | 'metric'>,
): HotSpot {
  return {
    ...what,
    baseline_runs,
    candidate_runs,
    baseline_mean: (matched?.baseline_mean ?? change.baseline_mean)!,
    candidate_mean: (matched?.candidate_mean ?? change.candidate_mean)!,
    difference: difference!,
    relative_change,
  }
}

interface Group {
  readonly kind: StrataKind
  readonly stratum: number
  readonly baseline: StrataSums
  readonly candidate: StrataSums
}

/** Tenants or tasks with enough runs on both sides. */
function groupsOf(
  kind: StrataKind,
  { baseline, candidate }: { readonly baseline: StrataSums; readonly candidate: StrataSums },
  least: number,
): Group[] {
  const [b, c] = [byStratum(baseline), byStratum(candidate)]
  // The only one is the whole.
  if (new Set([...b.keys(), ...c.keys()]).size < 2) return []
  const enough = [...c].filter(
    ([stratum, runs]) => stratum !== REST && runs >= least && (b.get(stratum) ?? 0) >= least,
  )
  const [ofBaseline, ofCandidate] = [grouped(baseline), grouped(candidate)]
  return enough.map(([stratum]) => ({
    kind,
    stratum,
    baseline: ofBaseline(stratum),
    candidate: ofCandidate(stratum),
  }))
}

function grouped({ cells, parts }: StrataSums): (stratum: number) => StrataSums {
  const [own, further] = [
    Map.groupBy(cells, ({ stratum }) => stratum),
    Map.groupBy(parts, ({ stratum }) => stratum),
  ]
  return stratum => ({ cells: own.get(stratum) ?? [], parts: further.get(stratum) ?? [] })
}
