import type { Board, BoardEntry } from '../../models/answers/board.ts'
import { isoTime } from '../../base/time.ts'
import { type Row, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { hasExpired } from './requests.ts'
import type { Ledger } from '../world/ledger.ts'
import { MOVED } from '../trail/pointers.ts'
import type { Undecidable } from '../../rules/strays.ts'
import { knownUndecidable } from '../registry/undecidable.ts'
import { type Scope, inScope, placeInScope } from '../world/scope.ts'

/** Where each agent in scope stands in each environment in scope. */
export async function readBoard(
  ledger: Pick<Ledger, 'sql' | 'memo' | 'now' | 'features'>,
  scope: Scope,
): Promise<Board> {
  const { sql: db } = ledger
  const undecidable = new Map(
    (await knownUndecidable(ledger, scope)).map(found => [releasePlaceOf(found), undecidableOf(found)]),
  )
  const [places, pointers, last, newest, pending] = await db.snapshot([
    sql`SELECT agent_id, environment FROM promoted_pointers WHERE ${placeInScope(scope)}
      UNION SELECT agent_id, environment FROM releases WHERE ${placeInScope(scope)}
      ORDER BY agent_id, environment`,
    sql`SELECT p.agent_id, p.environment, p.release_id, r.version, a.action_id, a.created_at, a.actor, a.reason,
        a.forced
      FROM promoted_pointers p
      LEFT JOIN releases r ON r.release_id = p.release_id
      LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b
        WHERE b.agent_id = p.agent_id AND b.environment = p.environment
          AND ${MOVED} AND b.release_id = p.release_id
          AND (b.baseline_release_id IS NULL OR b.baseline_release_id <> b.release_id))
      WHERE ${inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })}`,
    sql`SELECT a.agent_id, a.environment, a.action_id, a.action, a.release_id, a.policy_passed,
        a.forced, a.policy_reasons, a.actor, a.created_at
      FROM (SELECT max(audit_seq) AS seq FROM actions WHERE ${placeInScope(scope)} GROUP BY agent_id, environment) AS newest
      JOIN actions a ON a.audit_seq = newest.seq`,
    sql`SELECT r.agent_id, r.environment, r.release_id, r.version, r.created_at,
        CASE WHEN a.action = 'rollback' AND a.release_id <> r.release_id THEN a.created_at END AS rolled_back_at,
        CASE WHEN EXISTS (SELECT 1 FROM pricing_tables t
            WHERE t.provider = r.pricing_provider AND t.pricing_version = r.pricing_version)
          THEN 1 ELSE 0 END AS is_priced
      FROM (SELECT max(seq) AS seq FROM releases WHERE ${placeInScope(scope)} GROUP BY agent_id, environment) AS newest
      JOIN releases r ON r.seq = newest.seq
      LEFT JOIN actions a ON a.audit_seq = (
        SELECT max(b.audit_seq) FROM actions b
        WHERE b.agent_id = r.agent_id AND b.environment = r.environment AND ${MOVED}
          AND (b.release_id = r.release_id OR b.baseline_release_id = r.release_id))`,
    sql`SELECT agent_id, environment, count(*) AS n FROM promotion_requests
      WHERE status = 'pending' AND NOT ${hasExpired(db.clock)} AND ${placeInScope(scope)}
      GROUP BY agent_id, environment`,
  ])
  const at = {
    pointer: byPlace(pointers!.rows),
    last: byPlace(last!.rows),
    newest: byPlace(newest!.rows),
    pending: byPlace(pending!.rows),
  }
  return {
    board: places!.rows.map(place => {
      const key = placeOf(place)
      return {
        agent_id: String(place.agent_id),
        environment: String(place.environment),
        promoted: promotedOf(at.pointer.get(key), undecidable),
        last_action: lastOf(at.last.get(key)),
        newest_release: newestOf(at.newest.get(key), undecidable),
        pending_requests: Number(at.pending.get(key)?.n ?? 0),
      }
    }),
  }
}

function byPlace(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map(row => [placeOf(row), row]))
}

/** Neither part holds a NUL. */
function placeOf({ agent_id, environment }: Row): string {
  return `${agent_id}\0${environment}`
}

type Reasons = ReadonlyMap<string, Pick<NonNullable<BoardEntry['promoted']>, 'undecidable'>>

function undecidableOf({ since, last, because }: Undecidable) {
  return { undecidable: { since, last, because } }
}

function releasePlaceOf({ release_id, environment }: Undecidable | Row): string {
  return `${release_id}\0${environment}`
}

function promotedOf(row: Row | undefined, undecidable: Reasons): BoardEntry['promoted'] {
  if (row === undefined) return null
  const optional = (column: string): string | null => nullable(row[column], String)
  return {
    release_id: String(row.release_id),
    version: optional('version'),
    action_id: optional('action_id'),
    promoted_at: nullable(row.created_at, at => isoTime(Number(at))),
    promoted_by: optional('actor'),
    reason: optional('reason'),
    ...(row.forced === 1 ? { forced: true } : {}),
    ...undecidable.get(releasePlaceOf(row)),
  }
}

function lastOf(row: Row | undefined): BoardEntry['last_action'] {
  if (row === undefined) return null
  return {
    action_id: String(row.action_id),
    action: row.action === 'rollback' ? 'rollback' : 'promote',
    release_id: String(row.release_id),
    policy_passed: row.policy_passed === 1,
    policy_reasons: JSON.parse(String(row.policy_reasons)) as string[],
    actor: String(row.actor),
    created_at: isoTime(Number(row.created_at)),
    ...(row.forced === 1 ? { forced: true } : {}),
  }
}

function newestOf(row: Row | undefined, undecidable: Reasons): BoardEntry['newest_release'] {
  if (row === undefined) return null
  return {
    release_id: String(row.release_id),
    version: String(row.version),
    created_at: isoTime(Number(row.created_at)),
    ...(row.rolled_back_at === null ? {} : { rolled_back_at: isoTime(Number(row.rolled_back_at)) }),
    ...(row.is_priced === 1 ? undecidable.get(releasePlaceOf(row)) : { unpriced: true as const }),
  }
}
