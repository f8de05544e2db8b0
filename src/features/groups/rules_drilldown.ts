import type { DiffGroups } from './models.ts'
import { round12 } from '../../base/numbers.ts'
import {
  ALPHA,
  type Estimate,
  meanDifference,
  normalFactor,
  roundEstimate,
  studentFactor,
} from '../../rules/statistics/intervals.ts'
import { type Moments, NO_MOMENTS, mergeMoments } from '../../rules/statistics/samples.ts'
import { rateDifference } from '../../rules/statistics/rates.ts'
import { independentVariances } from '../../rules/statistics/variances.ts'

/** The runs of one group, say a tenant, on both sides. The key of all other groups together is null. */
export interface GroupMoments {
  readonly key: string | null
  readonly baseline: Moments
  readonly candidate: Moments
}

/** What a group contributes to the difference of the means. Plain JSON; all but runs in the metric's unit. */
type GroupChange = Omit<DiffGroups['groups'][number], 'share'>

export interface Drilldown {
  /** Candidate's mean less the baseline's; the sum of all rates and mixes. */
  readonly difference: number
  readonly rate: number
  readonly mix: number
  /** Largest contribution first, the rest last. */
  readonly groups: readonly GroupChange[]
  /** How many groups of under 50 runs are in the rest. */
  readonly merged_groups: number
  /** More of the difference comes from who sent runs than from what changed for them (Simpson's paradox). */
  readonly mix_outweighs_rate: boolean
}

/** Runs of both sides together under which a group isn't shown by itself. */
const LEAST_GROUP_RUNS = 50
/** Fewest runs per side for a claim about a group. */
const LEAST_RUNS = 10

/**
 * Splits a difference of means, or of rates as means of 0 and 1, into what groups contribute (Kitagawa 1955). Undefined
 * where a side has no runs.
 */
export function drillDown(
  given: readonly GroupMoments[],
  metric: 'mean' | 'rate',
  alpha: number = ALPHA,
  leastRuns: number = LEAST_GROUP_RUNS,
): Drilldown | undefined {
  const sorted = [...given].sort((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
  const total = merged(sorted)
  if (total.baseline.n === 0 || total.candidate.n === 0) return undefined
  const isShown = ({ key, baseline, candidate }: GroupMoments): boolean =>
    key !== null && baseline.n + candidate.n >= leastRuns
  const shown = sorted.filter(isShown)
  const others = sorted.filter(group => !isShown(group))
  const groups = others.length === 0 ? shown : [...shown, merged(others)]
  const changes = groups.map(group => changeOf(group, total, metric, alpha / groups.length))
  const sum = (part: 'rate' | 'mix'): number => changes.reduce((all, change) => all + change[part], 0)
  const [rate, mix] = [sum('rate'), sum('mix')]
  return {
    difference: round12(total.candidate.mean - total.baseline.mean),
    rate: round12(rate),
    mix: round12(mix),
    groups: changes.map(rounded).sort(byContribution),
    merged_groups: others.filter(({ key }) => key !== null).length,
    mix_outweighs_rate: round12(Math.abs(mix)) > round12(Math.abs(rate)),
  }
}

function merged(groups: readonly GroupMoments[]): GroupMoments {
  return {
    key: null,
    baseline: groups.map(group => group.baseline).reduce(mergeMoments, NO_MOMENTS),
    candidate: groups.map(group => group.candidate).reduce(mergeMoments, NO_MOMENTS),
  }
}

function changeOf(
  group: GroupMoments,
  total: GroupMoments,
  metric: 'mean' | 'rate',
  alpha: number,
): GroupChange {
  const { key, baseline: b, candidate: c } = group
  const [shareB, shareC] = [b.n / total.baseline.n, c.n / total.candidate.n]
  // A side without runs would have had the other's mean.
  const [meanB, meanC] = [b.n === 0 ? c.mean : b.mean, c.n === 0 ? b.mean : c.mean]
  const overall = (total.baseline.mean + total.candidate.mean) / 2
  const difference = differenceOf(b, c, metric, alpha)
  const isClaimed = Math.min(b.n, c.n) >= LEAST_RUNS
  return {
    key,
    baseline_runs: b.n,
    candidate_runs: c.n,
    baseline_mean: b.n === 0 ? null : b.mean,
    candidate_mean: c.n === 0 ? null : c.mean,
    difference,
    rate: ((meanC - meanB) * (shareB + shareC)) / 2,
    mix: (shareC - shareB) * ((meanB + meanC) / 2 - overall),
    is_changed: isClaimed && difference !== null && excludesZero(difference),
  }
}

function differenceOf(b: Moments, c: Moments, metric: 'mean' | 'rate', alpha: number): Estimate | null {
  const variances = independentVariances(b, c)
  if (variances === undefined) return null
  if (metric === 'mean') return meanDifference(b.mean, c.mean, variances, studentFactor(variances.df, alpha))
  const [countB, countC] = [b, c].map(({ n, mean }) => ({ events: Math.round(n * mean), runs: n }))
  return rateDifference(countB!, countC!, normalFactor(alpha))
}

function excludesZero({ low, high }: Estimate): boolean {
  return (low !== null && round12(low) > 0) || (high !== null && round12(high) < 0)
}

function rounded(change: GroupChange): GroupChange {
  const { baseline_mean, candidate_mean, difference, rate, mix } = change
  return {
    ...change,
    baseline_mean: baseline_mean === null ? null : round12(baseline_mean),
    candidate_mean: candidate_mean === null ? null : round12(candidate_mean),
    difference: roundEstimate(difference),
    rate: round12(rate),
    mix: round12(mix),
  }
}

function byContribution(a: GroupChange, b: GroupChange): number {
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1
  return Math.abs(b.rate + b.mix) - Math.abs(a.rate + a.mix) || (a.key < b.key ? -1 : 1)
}
