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
import type { Actor, Ledger } from '../world/ledger.ts'
import { type Approvable, alikeWarnings, approvalBy } from './approvers.ts'

/** What confirmations of a request rest on now; undefined if one is enough, as nothing rests on an earlier one then. */
export function confirmationGrounds(
  workspace: Ledger['workspace'],
  required: number | undefined,
  of: Parameters<typeof groundsQuery>[0],
): Query<Grounds> | undefined {
  return approvalsRequired(workspace, required) === 1 ? undefined : groundsQuery(of)
}

/** What a decision on a release in a place rests on now. */
function groundsQuery({
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
  readonly grounds: Grounds | undefined
}

/** Separates confirmations that still count from those that rest on other grounds; without grounds all count. */
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
    grounds,
  }
}

/** The confirmations that count with this one, how many are required, and how many are missing then. */
export function withApproval(
  workspace: Ledger['workspace'],
  { approvals_required }: Approvable,
  { approvals: given, grounds }: CountedApprovals,
  actor: Actor,
  said: Pick<Approval, 'reason' | 'created_at'>,
): { approvals: readonly GivenApproval[]; required: number; missing: number } {
  const mine = { ...approvalBy(actor, said), ...(grounds === undefined ? {} : { grounds }) }
  const required = approvalsRequired(workspace, approvals_required)
  return { approvals: [...given, mine], required, missing: required - given.length - 1 }
}

/** What an audit entry or the evidence of a decision says of confirmations that no longer count. */
export function voiding(voided: CountedApprovals['voided']): {
  void_approvals?: CountedApprovals['voided']
} {
  return voided.length === 0 ? {} : { void_approvals: voided }
}

/** Warns of confirmations that no longer count, and of names that look like that of `actor`. */
export function confirmationWarnings(
  request: Approvable,
  voided: CountedApprovals['voided'],
  actor: Actor,
): { warnings?: string[] } {
  const outdated = voided.map(
    ({ actor: by, created_at, because }) =>
      `The confirmation by ${by} at ${created_at} no longer counts: ${because.join('; ')}.`,
  )
  const warnings = [...outdated, ...alikeWarnings(request, actor)]
  return warnings.length === 0 ? {} : { warnings }
}

/** How many have to confirm: as many as were required at the request, or more if more are now. */
function approvalsRequired({ approvals_required: now = 1 }: Ledger['workspace'], then = 1): number {
  return Math.max(then, now)
}
