import { type Gates, type PromotedFrom, freezesOf, promotedFrom } from '../../rules/decisions/gates.ts'
import { type Result, type Statement, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { MOVED } from '../chain/pointers.ts'
import type { Ledger } from '../ledger.ts'

/** The rules of service.yaml that concern a promotion. Rollbacks have none: they are for when something is wrong. */
export interface GateQuestion {
  readonly from: PromotedFrom | undefined
  /** Reads what `toGates` takes, for the snapshot of the assessment; none where nothing is to be read. */
  readonly statements: readonly Statement[]
}

export function gateQuestion(
  { workspace, now }: Pick<Ledger, 'workspace' | 'now'>,
  proposal: { readonly action: string; readonly release_id: string; readonly environment: string },
): GateQuestion {
  const from = proposal.action === 'promote' ? promotedFrom(workspace, proposal.environment) : undefined
  return {
    from,
    statements: from === undefined ? [] : [liveTime(proposal.release_id, from.environment, now())],
  }
}

/** The gates of a promotion with what they are judged by; undefined where it has none. */
export function toGates(
  { workspace }: Pick<Ledger, 'workspace'>,
  proposal: { readonly action: string; readonly environment: string },
  { from }: GateQuestion,
  live: Result | undefined,
): Gates | undefined {
  const freeze = proposal.action === 'promote' ? freezesOf(workspace, proposal.environment) : []
  if (from === undefined && freeze.length === 0) return undefined
  const longest_ms = nullable(live?.rows[0]?.longest_ms, Number)
  return {
    ...(from === undefined ? {} : { promotes_from: { ...from, longest_ms } }),
    ...(freeze.length === 0 ? {} : { freeze }),
  }
}

/** The same, read alone. */
export async function readGates(
  ledger: Pick<Ledger, 'workspace' | 'now' | 'sql'>,
  proposal: { readonly action: string; readonly release_id: string; readonly environment: string },
): Promise<Gates | undefined> {
  const asked = gateQuestion(ledger, proposal)
  const [statement] = asked.statements
  return toGates(ledger, proposal, asked, statement && (await ledger.sql.query(statement)))
}

/** For how long a release was live in an environment without a break, up to now; null where it never was. */
function liveTime(releaseId: string, environment: string, now: number): Statement {
  return sql`WITH moves AS (
      SELECT a.release_id, a.created_at, lead(a.created_at) OVER (ORDER BY a.audit_seq) AS ended_at
      FROM actions a JOIN releases r ON r.agent_id = a.agent_id
      WHERE r.release_id = ${releaseId} AND a.environment = ${environment} AND ${MOVED}
        AND (a.baseline_release_id IS NULL OR a.baseline_release_id <> a.release_id)
    ), live AS (
      SELECT coalesce(ended_at, CAST(${now} AS BIGINT)) - created_at AS ms FROM moves WHERE release_id = ${releaseId}
    )
    SELECT max(CASE WHEN ms < 0 THEN 0 ELSE ms END) AS longest_ms FROM live`
}
