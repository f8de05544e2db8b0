import { ServiceError } from '../../base/errors.ts'
import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import { measurePair } from '../../ledger/assess/pair.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { keepLatest, remembering } from '../../ledger/world/memo.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { CHANGE_LIMITS } from '../../rules/limits.ts'
import { DEFAULT_POLICY } from '../../rules/scope.ts'
import { type Comparison, comparisonOf } from './rules_compare.ts'

/** How long a release is compared with the one before it, since it is live, ms: later other things have changed too. */
const COMPARED_MS = 7 * DAY_MS

/** How long a comparison is kept, ms: it reads more than the newest runs. */
const KEPT_MS = 5 * MINUTE_MS

/** A live release, and what was live before it. */
interface Pair {
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly version: string
  readonly previous_release_id: string | null
  readonly previous_version: string | null
}

/**
 * Compares a live release with the one before it, by the limits of the policy on a change. The intervals hold at all checks, since a
 * release is compared every few minutes.
 */
export async function compareWithBefore(
  ledger: Ledger,
  { environment, release_id, previous_release_id, previous_version }: Pair,
  policy: Policy,
  liveSince: number,
): Promise<Comparison> {
  const now = ledger.now()
  const before = previous_version ?? previous_release_id
  if (previous_release_id === null)
    return unchecked('nothing to compare with: it is the first live release, or was rolled back to')
  if (CHANGE_LIMITS.every(({ key }) => policy[key] == null))
    return unchecked(`the policy limits no change against ${before}, which was live before it`)
  if (liveSince < now - COMPARED_MS)
    return unchecked(`it is no longer compared with ${before}: it is live for more than 7 days`)
  const limits = policyOfChanges(policy)
  const kept = comparisonsOf(ledger.memo)
  const key = JSON.stringify([environment, release_id, previous_release_id, limits])
  const known = kept.get(key)
  if (known !== undefined && known.at <= now && known.at > now - KEPT_MS) return known.found
  const found = await compared()
  keepLatest(kept, key, { at: now, found })
  return found

  async function compared(): Promise<Comparison> {
    const window = { since: Math.min(liveSince, now - MINUTE_MS), until: now }
    try {
      const { evaluation } = await measurePair(
        ledger,
        { policy: limits },
        {
          baselineId: previous_release_id!,
          candidateId: release_id,
          environment,
          window,
          now,
          labels: { baseline: 'release before', candidate: 'live release' },
        },
      )
      return comparisonOf(evaluation.statistics, before!, window)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error
      return unchecked(`it can't be compared with ${before}: ${error.message}`)
    }
  }
}

interface CachedComparison {
  /** Epoch ms. */
  readonly at: number
  readonly found: Comparison
}

const comparisonsOf = remembering(() => new Map<string, CachedComparison>())

const unchecked = (text: string): Comparison => ({ broken: [], kept: [], not_checked: [text] })

/** What a policy says of changes, judged by intervals that hold at all checks. */
function policyOfChanges(policy: Policy): Policy {
  const { compare_by, cluster_by, unpriced } = policy
  const limits = Object.fromEntries(CHANGE_LIMITS.map(({ key }) => [key, policy[key] ?? null]))
  return {
    ...DEFAULT_POLICY,
    ...limits,
    ...(compare_by === undefined ? {} : { compare_by }),
    ...(cluster_by === undefined ? {} : { cluster_by }),
    ...(unpriced === undefined ? {} : { unpriced }),
    require_high_diff_confidence: false,
    sequential: true,
  }
}
