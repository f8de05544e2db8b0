import { isoTime } from '../../base/time.ts'
import type { Freeze, WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { Clock } from '../../rules/clock.ts'
import {
  type Gates,
  type PromotedFrom,
  freezesOf,
  isTimed,
  promotedFrom,
} from '../../rules/decisions/gates.ts'
import { type Result, type Statement, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { headAt, toHead } from '../chain/chain.ts'
import { MOVED } from '../chain/pointers.ts'
import { clockError, clockOf } from '../clock.ts'
import type { Ledger } from '../ledger.ts'

/** The rules of service.yaml that concern a promotion. Rollbacks have none: they are for when something is wrong. */
export interface GateQuestion {
  readonly from: PromotedFrom | undefined
  /** Reads what `toGates` takes, for the snapshot of the assessment; none where nothing is to be read. */
  readonly statements: readonly Statement[]
}

export function gateQuestion(
  { workspace, sql: db }: Pick<Ledger, 'workspace' | 'sql'>,
  proposal: { readonly action: string; readonly release_id: string; readonly environment: string },
): GateQuestion {
  const from = proposal.action === 'promote' ? promotedFrom(workspace, proposal.environment) : undefined
  return {
    from,
    statements: from === undefined ? [] : [liveTime(proposal.release_id, from.environment, db.clock)],
  }
}

/**
 * The gates of a promotion with what they are judged by; undefined where it has none. Throws 503 where the time decides
 * and the server's clock and the database's are too far apart.
 */
export function toGates(
  { workspace }: Pick<Ledger, 'workspace'>,
  proposal: { readonly action: string; readonly environment: string },
  { from }: GateQuestion,
  live: Result | undefined,
  { now, apart, doubt }: Clock,
): Gates | undefined {
  const freeze = freezesFor(workspace, proposal)
  if (from === undefined && freeze.length === 0) return undefined
  const longest_ms = nullable(live?.rows[0]?.longest_ms, Number)
  const gates = {
    ...(from === undefined ? {} : { promotes_from: { ...from, longest_ms } }),
    ...(freeze.length === 0 ? {} : { freeze }),
  }
  if (!isTimed(gates)) return gates
  // A doubt is a reason to block, which is recorded.
  if (apart !== undefined) throw clockError(apart)
  return { ...gates, clock: { at: isoTime(now), ...(doubt === undefined ? {} : { doubt }) } }
}

function freezesFor(
  workspace: WorkspaceConfig,
  { action, environment }: { readonly action: string; readonly environment: string },
): Freeze[] {
  return action === 'promote' ? freezesOf(workspace, environment) : []
}

/** The same, read alone. */
export async function readGates(
  ledger: Pick<Ledger, 'workspace' | 'now' | 'elapsed' | 'memo' | 'log' | 'sql'>,
  proposal: { readonly action: string; readonly release_id: string; readonly environment: string },
): Promise<Gates | undefined> {
  const asked = gateQuestion(ledger, proposal)
  if (asked.from === undefined && freezesFor(ledger.workspace, proposal).length === 0) return undefined
  const before = ledger.now()
  const [head, live] = await ledger.sql.snapshot([headAt(ledger.sql.clock), ...asked.statements])
  return toGates(ledger, proposal, asked, live, clockOf(ledger, toHead(head), before))
}

/**
 * For how long a release was live in an environment without a break, up to now, by the database's clock alone; null where
 * it never was. Versions before noted the server's.
 */
function liveTime(releaseId: string, environment: string, clock: Statement): Statement {
  const movedAt = sql`coalesce(a.decided_at, a.created_at)`
  return sql`WITH moves AS (
      SELECT a.release_id, ${movedAt} AS moved_at, lead(${movedAt}) OVER (ORDER BY a.audit_seq) AS ended_at
      FROM actions a JOIN releases r ON r.agent_id = a.agent_id
      WHERE r.release_id = ${releaseId} AND a.environment = ${environment} AND ${MOVED}
        AND (a.baseline_release_id IS NULL OR a.baseline_release_id <> a.release_id)
    ), live AS (
      SELECT coalesce(ended_at, ${clock}) - moved_at AS ms FROM moves WHERE release_id = ${releaseId}
    )
    SELECT max(CASE WHEN ms < 0 THEN 0 ELSE ms END) AS longest_ms FROM live`
}
