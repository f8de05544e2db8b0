import type { Policy } from '../../models/documents/policy.ts'
import { type MeasuredSide, samplesOf } from '../../rules/diff_statistics.ts'
import { CHANGE_LIMITS } from '../../rules/limits.ts'
import { STRATA_KINDS, type StrataKind, type StrataSums } from './rules_strata.ts'

interface Side extends Pick<MeasuredSide, 'rates'> {
  readonly strata: ReadonlyMap<StrataKind, StrataSums | undefined>
}

/** Part of a limit that a difference of the mix alone may use up before it is warned of. */
const LEAST_PART = 0.25

const NOUNS = { cost_per_run_usd: 'cost', latency_ms: 'latency', error_rate: 'error rate' } as const

/**
 * Where the sides serve tenants or do tasks in other proportions, and that alone moves a metric by more than a quarter of
 * its limit: the mix term of Kitagawa (1955), Σ (p_c − p_b)·(m_b + m_c)/2 over what both sides have.
 */
export function mixWarnings(baseline: Side, candidate: Side, policy: Policy): string[] {
  return STRATA_KINDS.flatMap(kind => {
    const [b, c] = [baseline.strata.get(kind), candidate.strata.get(kind)]
    if (b === undefined || c === undefined) return []
    const [own, other] = [byGroup({ ...b, rates: baseline.rates }), byGroup({ ...c, rates: candidate.rates })]
    const moved = CHANGE_LIMITS.flatMap(({ key, metric, of }) => {
      const limit = policy[key]
      if (limit == null) return []
      const found = mixOf(own[metric], other[metric])
      if (found === undefined) return []
      const size = of === 'relative_change' ? found.term / found.mean : found.term
      if (!Number.isFinite(size) || Math.abs(size) <= LEAST_PART * limit) return []
      const percent = `${size > 0 ? '+' : ''}${(100 * size).toFixed(1)}`
      return [`${NOUNS[metric]} by ${percent} ${of === 'relative_change' ? '%' : 'points'}`]
    })
    if (moved.length === 0) return []
    return [
      `the sides have other shares of ${kind}s, which alone moves the ${moved.join(', ')}: ` +
        `compare_by: ${kind} in the policy compares each ${kind} with itself`,
    ]
  })
}

interface Group {
  readonly n: number
  readonly mean: number
}

type Metric = (typeof CHANGE_LIMITS)[number]['metric']

/** Runs and mean of each group, by metric. */
function byGroup({
  cells,
  parts,
  rates,
}: MeasuredSide & StrataSums): Record<Metric, ReadonlyMap<number, Group>> {
  const numbered = <T extends { readonly stratum: number }>(own: readonly T[]) =>
    own.map(cell => ({ ...cell, block: cell.stratum }))
  const samples = samplesOf({ cells: numbered(cells), parts: numbered(parts), rates })
  return {
    cost_per_run_usd: samples.cost_per_run_usd.blocks!(),
    latency_ms: samples.latency_ms.blocks!(),
    error_rate: samples.error_rate.blocks!(),
  }
}

/** The mix term, and the mean of the baseline over the groups that both sides have; undefined without such. */
function mixOf(
  baseline: ReadonlyMap<number, Group>,
  candidate: ReadonlyMap<number, Group>,
): { readonly term: number; readonly mean: number } | undefined {
  const shared = [...baseline].flatMap(([key, b]) => {
    const c = candidate.get(key)
    return c === undefined || b.n === 0 || c.n === 0 ? [] : [{ b, c }]
  })
  if (shared.length === 0) return undefined
  let [runsB, runsC] = [0, 0]
  for (const { b, c } of shared) {
    runsB += b.n
    runsC += c.n
  }
  let [term, mean] = [0, 0]
  for (const { b, c } of shared) {
    term += (c.n / runsC - b.n / runsB) * ((b.mean + c.mean) / 2)
    mean += (b.n / runsB) * b.mean
  }
  return { term, mean }
}
