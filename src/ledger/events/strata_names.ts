import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import type { Ledger } from '../world/ledger.ts'
import type { KnownStrata } from '../world/memo.ts'
import { MOST_STRATA, type StrataKind } from '../../rules/strata.ts'

/** Above this many names the map is dropped, so that odd input can't fill the memory. */
const MOST_KNOWN = 50_000

/** Where names are counted: an agent in an environment, and a kind. */
type Place = readonly [agent_id: string, environment: string, kind: StrataKind]

/** What a batch makes sure of before it sums by names; undefined where it sums nothing. */
export interface Named {
  /** How many erasures had emptied names, and the newest id, when the names were last looked up. */
  readonly erased: number
  readonly newest: number
}

/**
 * Gives ids to the tenants and tasks of these events, the first of each place in their order. Names are counted while
 * nobody else adds any, so a name that came too late never gets an id: its runs stay in one stratum.
 */
export async function nameStrata(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  events: readonly StoredEvent[],
): Promise<Named> {
  const { strata } = memo.ids
  if (strata.names.size > MOST_KNOWN) forgetStrata(strata)
  const unknown = unknownOf(strata, events)
  if (unknown.size === 0 && strata.found !== undefined) return strata.found
  const given = givenNames(db.dialect, [...unknown])
  const [counts, found] = (await db.batch([...lockOf(db), insertFirst(given), countsOf(given), FOUND])).slice(
    -2,
  )
  for (const key of unknown) strata.names.add(key)
  for (const { agent_id, environment, kind, n } of counts!.rows) {
    if (Number(n) >= MOST_STRATA) strata.full.add([agent_id, environment, kind].join('\0'))
  }
  const { erased, newest } = found!.rows[0]!
  return (strata.found = { erased: Number(erased), newest: Number(newest) })
}

export function forgetStrata(strata: KnownStrata): void {
  strata.names.clear()
  strata.full.clear()
  strata.found = undefined
}

/** Names that may lack an id, as `agent, environment, kind, name` joined by NUL. */
function unknownOf({ names, full }: KnownStrata, events: readonly StoredEvent[]): Set<string> {
  const unknown = new Set<string>()
  for (const { agent_id, environment, tenant_id, task_id } of events) {
    for (const [kind, name] of [
      ['tenant', tenant_id],
      ['task', task_id],
    ] as const) {
      const place = ([agent_id, environment, kind] satisfies Place).join('\0')
      const key = `${place}\0${name}`
      if (!names.has(key) && !full.has(place)) unknown.add(key)
    }
  }
  return unknown
}

/** On PostgreSQL somebody else may be adding a name that this statement doesn't see. SQLite has one writer. */
export function lockOf({ dialect }: Pick<Sql, 'dialect'>): Statement[] {
  return dialect === 'postgres' ? [raw('LOCK TABLE strata IN SHARE ROW EXCLUSIVE MODE')] : []
}

/** Whether the names are those that were looked up. */
export function namesHold({ erased, newest }: Named): Statement {
  return sql`((SELECT strata_erased FROM retention WHERE id = 1) = ${erased}
    AND (SELECT coalesce(max(id), 0) FROM strata) >= ${newest})`
}

const FOUND = raw(`SELECT strata_erased AS erased, (SELECT coalesce(max(id), 0) FROM strata) AS newest
  FROM retention WHERE id = 1`)

/**
 * Gives ids to the first of some names in each place that has not as many yet. `given` has `agent_id, environment, kind,
 * name` and `nth`, by which the first are told.
 */
function insertFirst(given: Statement): Statement {
  return sql`INSERT INTO strata (agent_id, environment, kind, name)
    SELECT agent_id, environment, kind, name FROM (
      SELECT f.agent_id, f.environment, f.kind, f.name, p.n,
        row_number() OVER (PARTITION BY f.agent_id, f.environment, f.kind ORDER BY f.nth) AS nth
      FROM (SELECT * FROM (${given}) AS g WHERE NOT EXISTS (
          SELECT 1 FROM strata t WHERE t.agent_id = g.agent_id AND t.environment = g.environment
            AND t.kind = g.kind AND t.name = g.name)) AS f
      JOIN (${countsOf(given)}) AS p
        ON p.agent_id = f.agent_id AND p.environment = f.environment AND p.kind = f.kind) AS fresh
    WHERE nth + n <= ${raw(String(MOST_STRATA))} ORDER BY nth`
}

/** How many names each place of `given` has. */
function countsOf(given: Statement): Statement {
  return sql`SELECT agent_id, environment, kind, (SELECT count(*) FROM strata t WHERE t.agent_id = d.agent_id
      AND t.environment = d.environment AND t.kind = d.kind) AS n
    FROM (SELECT DISTINCT agent_id, environment, kind FROM (${given}) AS names) AS d`
}

function givenNames(dialect: Sql['dialect'], keys: readonly string[]): Statement {
  const json = JSON.stringify(keys.map(key => key.split('\0')))
  return dialect === 'postgres'
    ? sql`SELECT value ->> 0 AS agent_id, value ->> 1 AS environment, value ->> 2 AS kind, value ->> 3 AS name, nth
        FROM jsonb_array_elements(CAST(CAST(${json} AS TEXT) AS JSONB)) WITH ORDINALITY AS names (value, nth)`
    : sql`SELECT value ->> 0 AS agent_id, value ->> 1 AS environment, value ->> 2 AS kind, value ->> 3 AS name,
        key AS nth FROM json_each(${json})`
}

/** Gives ids to the names of stored events that have none, of a kind: those of events from before there were strata. */
export function nameStored(kind: StrataKind): Statement {
  return insertFirst(
    sql`SELECT v.agent_id, s.environment, ${raw(`'${kind}'`)} AS kind, e.name, min(e.nth) AS nth
      FROM (SELECT scope, variant, ${raw(`${kind}_id`)} AS name, min(seq) AS nth FROM run_events
        GROUP BY scope, variant, ${raw(`${kind}_id`)}) AS e
      JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
      GROUP BY v.agent_id, s.environment, e.name`,
  )
}

/** The strata of a tenant. */
export function namedTenant(tenant: string): Statement {
  return sql`SELECT id FROM strata WHERE ${isTenant(tenant)}`
}

function isTenant(tenant: string): Statement {
  return sql`kind = 'tenant' AND name = ${tenant}`
}

/** Empties the name of an erased tenant. Its id stays: it is never given to another one. */
export function forgetTenant(tenant: string, guard: Statement): Statement[] {
  const named = isTenant(tenant)
  return [
    sql`UPDATE retention SET strata_erased = strata_erased + 1
      WHERE id = 1 AND EXISTS (SELECT 1 FROM strata WHERE ${named}) AND ${guard}`,
    sql`UPDATE strata SET name = NULL WHERE ${named} AND ${guard}`,
  ]
}
