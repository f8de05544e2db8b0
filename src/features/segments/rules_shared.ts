import { littleOf } from '../../base/text.ts'
import { LEAST_CANDIDATE_SHARE } from '../../rules/statistics/match.ts'
import { REST } from './rules_segments.ts'

/** Runs by tenant; those of tenants without an id of their own are of {@link REST}. */
export type RunsByTenant = ReadonlyMap<number, number>

/** Runs of a tenant on each side without which it is not one that both served. */
const LEAST_RUNS = 2

/** How much of the candidate's runs is of tenants that both releases served. */
export interface SharedTenants {
  readonly share: number
  /** What that share would be, on average, if each run had gone to either release by chance. */
  readonly by_chance: number
}

/** Undefined where a side has no runs. */
export function sharedTenants(baseline: RunsByTenant, candidate: RunsByTenant): SharedTenants | undefined {
  const [b, c] = [totalOf(baseline), totalOf(candidate)]
  if (b === 0 || c === 0) return undefined
  const toCandidate = c / (b + c)
  let [shared, expected] = [0, 0]
  for (const tenant of new Set([...baseline.keys(), ...candidate.keys()])) {
    const [own, other] = [candidate.get(tenant) ?? 0, baseline.get(tenant) ?? 0]
    const isShared = tenant === REST || (own >= LEAST_RUNS && other >= LEAST_RUNS)
    shared += isShared ? own : 0
    expected += expectedShared(own + other, toCandidate)
  }
  return { share: shared / c, by_chance: Math.min(1, expected / c) }
}

/** E[k·1{2 ≤ k ≤ n − 2}] of k runs of n that go to the candidate, each with probability p. */
function expectedShared(n: number, p: number): number {
  if (n < 2 * LEAST_RUNS) return 0
  const one = n * p * (1 - p) ** (n - 1)
  const allButOne = (n - 1) * n * (1 - p) * p ** (n - 1)
  const all = n * p ** n
  return Math.max(0, n * p - one - allButOne - all)
}

function totalOf(runs: RunsByTenant): number {
  return [...runs.values()].reduce((sum, own) => sum + own, 0)
}

/** Share by chance from which on few shared tenants are no accident of few runs. */
const HARDLY_BY_CHANCE = 0.9

/**
 * Why the sides can't be compared by time although they ran at once: each release served tenants of its own, so that a
 * difference may be one of these. Undefined where they can.
 */
export function apartText({ share, by_chance }: SharedTenants): string | undefined {
  return share < LEAST_CANDIDATE_SHARE && by_chance >= HARDLY_BY_CHANCE
    ? `${fewText(share)}: run both releases for the same tenants at once, or start a rollout by run or session`
    : undefined
}

/** By how much less of the candidate's runs than by chance is of tenants that both served, from which on it is said. */
const MUCH_APART = 0.1

/** What is said where a good share of the candidate's runs is of tenants that only it served, by no accident of few runs. */
export function fewSharedText({ share, by_chance }: SharedTenants): string | undefined {
  if (by_chance - share <= MUCH_APART) return undefined
  return share < LEAST_CANDIDATE_SHARE
    ? `${fewText(share)}; compare_by: tenant in the policy compares each with itself`
    : `${Math.floor(100 * (1 - share))} % of the candidate's runs are of tenants that only it served, so a difference may be ` +
        'one of tenants; compare_by: tenant in the policy leaves these out'
}

function fewText(share: number): string {
  return (
    `${littleOf(share)} the candidate's runs are of tenants that the baseline served too, so a ` +
    'difference may be one of tenants'
  )
}
