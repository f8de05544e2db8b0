import type { Approval } from '../../models/answers/promotion_request.ts'
import { type Grounds, outdatedBecause } from '../../rules/changes.ts'
import { resolveOverrides } from '../../rules/scope.ts'
import { sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asText,
  columns,
  field,
  firstRow,
  mapped,
  orNull,
  together,
} from '../../sql/query.ts'
import { ACTIVE_POLICY } from '../registry/policies.ts'
import type { Ledger } from '../world/ledger.ts'

/** What a decision on a release in a place rests on now. */
export function groundsQuery({
  release_id,
  agent_id,
  environment,
}: Readonly<Record<'release_id' | 'agent_id' | 'environment', string>>): Query<Grounds> {
  const live = sql`SELECT release_id FROM promoted_pointers
    WHERE agent_id = ${agent_id} AND environment = ${environment}`
  const tables = sql`SELECT r.pricing_provider, r.pricing_version, (
      SELECT p.new_checksum FROM pricing_imports p
      WHERE p.provider = r.pricing_provider AND p.pricing_version = r.pricing_version ORDER BY p.seq DESC LIMIT 1
    ) AS checksum
    FROM releases r WHERE r.release_id = ${release_id} OR r.release_id IN (${live}) ORDER BY 1, 2`
  const read = together({
    live: firstRow(live, field('release_id', asText)),
    policy: ACTIVE_POLICY,
    tables: allRows(
      tables,
      columns({ pricing_provider: asText, pricing_version: asText, checksum: orNull(asText) }),
    ),
  })
  return mapped(read, found => ({
    baseline_release_id: found.live ?? null,
    policy: resolveOverrides(found.policy, { agent_id, environment }).policy,
    prices: Object.fromEntries(
      found.tables.map(({ pricing_provider, pricing_version, checksum }) => [
        `${pricing_provider}/${pricing_version}`,
        checksum,
      ]),
    ),
  }))
}

/** A confirmation with what it rests on, which is kept but not answered. */
export interface GivenApproval extends Approval {
  readonly grounds?: Grounds
}

export function publicApproval({ grounds: _grounds, ...approval }: GivenApproval): Approval {
  return approval
}

/** A confirmation that no longer counts, and why. */
interface VoidApproval extends Pick<Approval, 'actor' | 'created_at'> {
  readonly because: readonly string[]
}

export interface CountedApprovals {
  readonly approvals: readonly GivenApproval[]
  readonly voided: readonly VoidApproval[]
}

/** Tells confirmations that still count from those that rest on other grounds; undefined grounds void nothing. */
export function countApprovals(
  given: readonly GivenApproval[],
  grounds: Grounds | undefined,
): CountedApprovals {
  const judged = given.map(approval => ({
    approval,
    because: grounds === undefined ? [] : outdatedBecause(approval.grounds, grounds),
  }))
  return {
    approvals: judged.flatMap(({ approval, because }) => (because.length === 0 ? [approval] : [])),
    voided: judged.flatMap(({ approval: { actor, created_at }, because }) =>
      because.length === 0 ? [] : [{ actor, created_at, because }],
    ),
  }
}

/** What an audit entry or the evidence of a decision says of confirmations that no longer count. */
export function voiding(voided: CountedApprovals['voided']): {
  void_approvals?: CountedApprovals['voided']
} {
  return voided.length === 0 ? {} : { void_approvals: voided }
}

export function voidWarnings(voided: CountedApprovals['voided']): string[] {
  return voided.map(
    ({ actor, created_at, because }) =>
      `The confirmation by ${actor} at ${created_at} no longer counts: ${because.join('; ')}.`,
  )
}

/** How many have to confirm: as many as were demanded at the request or are now. */
export function approvalsRequired({ approvals_required: now = 1 }: Ledger['workspace'], then = 1): number {
  return Math.max(then, now)
}
