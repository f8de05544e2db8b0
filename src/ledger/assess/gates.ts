import { isoTime } from '../../base/time.ts'
import type { Freeze, WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Gates, type PromotedFrom, freezesOf, isTimed, promotedFrom } from '../../rules/gates.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { type Query, ask, onlyRow, together, nullable } from '../../sql/query.ts'
import { headQuery } from '../trail/chain.ts'
import { MOVED } from '../trail/pointers.ts'
import { clockError, clockOf } from '../trail/clock.ts'
import type { Ledger } from '../world/ledger.ts'

/** The rules of service.yaml that concern a promotion. Rollbacks have none: they are for when something is wrong. */
export interface GateQuestion {
  readonly from: PromotedFrom | undefined
  /** For how long the release was live there, ms; null where it never was. Undefined where that is not asked. */
  readonly live: Query<number | null> | undefined
}

export function gateQuestion(
  { workspace, sql: db }: Pick<Ledger, 'workspace' | 'sql'>,
  proposal: { readonly action: string; readonly release_id: string; readonly environment: string },
): GateQuestion {
  const from = proposal.action === 'promote' ? promotedFrom(workspace, proposal.environment) : undefined
  return {
    from,
    live: from && liveTime(proposal.release_id, from.environment, db.clock),
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
  { now, apart, doubt }: Clock,
  longest_ms: number | null = null,
): Gates | undefined {
  const freeze = freezesFor(workspace, proposal)
  if (from === undefined && freeze.length === 0) return undefined
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
  const { head, live } = await ask(
    ledger.sql,
    together({ head: headQuery(ledger.sql.clock), live: asked.live }),
  )
  return toGates(ledger, proposal, asked, clockOf(ledger, head, before), live)
}

/**
 * For how long a release was live in an environment without a break, up to now, by the database's clock alone; null where
 * it never was. Versions before noted the server's.
 */
function liveTime(releaseId: string, environment: string, clock: Statement): Query<number | null> {
  const movedAt = sql`coalesce(a.decided_at, a.created_at)`
  const statement = sql`WITH moves AS (
      SELECT a.release_id, ${movedAt} AS moved_at, lead(${movedAt}) OVER (ORDER BY a.audit_seq) AS ended_at
      FROM actions a JOIN releases r ON r.agent_id = a.agent_id
      WHERE r.release_id = ${releaseId} AND a.environment = ${environment} AND ${MOVED}
        AND (a.baseline_release_id IS NULL OR a.baseline_release_id <> a.release_id)
    ), live AS (
      SELECT coalesce(ended_at, ${clock}) - moved_at AS ms FROM moves WHERE release_id = ${releaseId}
    )
    SELECT max(CASE WHEN ms < 0 THEN 0 ELSE ms END) AS longest_ms FROM live`
  return onlyRow(statement, row => nullable(row.longest_ms, Number))
}
