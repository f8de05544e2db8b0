import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { MOST_STRATA, STRATA_KINDS, type StrataKind } from '../../rules/strata.ts'
import type { Ledger } from '../world/ledger.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, allRows, among, asNumber, asText, columns, write } from '../../sql/query.ts'

/** On PostgreSQL somebody else may be adding a name that a statement doesn't see. SQLite has one writer. */
export function lockNames({ dialect }: Pick<Sql, 'dialect'>): Statement[] {
  return dialect === 'postgres' ? [raw('LOCK TABLE strata IN SHARE ROW EXCLUSIVE MODE')] : []
}

/**
 * Gives ids to the names of a kind in some stored events (a FROM clause's rest) that have none: in each place, an agent in
 * an environment, to as many as it may have, the first ones first. A name that came too late never gets one, so its runs
 * stay in one stratum. Needs {@link lockNames}.
 */
export function nameStrata(kind: StrataKind, from: Statement): Statement {
  const name = raw(`${kind}_id`)
  return nameFirst(
    kind,
    sql`SELECT v.agent_id, s.environment, e.name, min(e.first) AS first
      FROM (SELECT scope, variant, ${name} AS name, min(seq) AS first FROM ${from}
        GROUP BY scope, variant, ${name}) AS e
      JOIN scopes s ON s.id = e.scope JOIN variants v ON v.id = e.variant
      GROUP BY v.agent_id, s.environment, e.name`,
  )
}

/** The same of `given` names: `agent_id, environment, name`, and by `first` their order. */
function nameFirst(kind: StrataKind, given: Statement): Statement {
  return sql`INSERT INTO strata (agent_id, environment, kind, name)
    SELECT agent_id, environment, ${raw(`'${kind}'`)}, name FROM (
      SELECT f.*, row_number() OVER (PARTITION BY f.agent_id, f.environment ORDER BY f.first) AS nth,
        (SELECT count(*) FROM strata t WHERE t.agent_id = f.agent_id AND t.environment = f.environment
          AND t.kind = ${raw(`'${kind}'`)}) AS n
      FROM (SELECT * FROM (${given}) AS g WHERE NOT EXISTS (
          SELECT 1 FROM strata t WHERE t.agent_id = g.agent_id AND t.environment = g.environment
            AND t.kind = ${raw(`'${kind}'`)} AND t.name = g.name)) AS f) AS fresh
    WHERE nth + n <= ${raw(String(MOST_STRATA))} ORDER BY nth`
}

/** Above this many names what is known is dropped, so that odd input can't fill the memory. */
const MOST_KNOWN = 50_000

/**
 * Gives ids to the names that events bring, as far as this process doesn't know that they have one: so that hours can be
 * told apart before they are summed. Whatever it misses is named when the hour is summed.
 */
export async function nameIncoming(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  events: readonly StoredEvent[],
): Promise<void> {
  const { strata } = memo.ids
  if (strata.names.size > MOST_KNOWN) strata.names.clear()
  for (const kind of STRATA_KINDS) {
    const unknown = new Set<string>()
    for (const event of events) {
      const place = `${kind}\0${event.agent_id}\0${event.environment}`
      const key = `${place}\0${event[`${kind}_id`]}`
      if (!strata.names.has(key) && !strata.full.has(place)) unknown.add(key)
    }
    if (unknown.size === 0) continue
    const given = givenNames(db.dialect, [...unknown])
    const naming = [...lockNames(db), nameFirst(kind, given)]
    const counts = await write(db, among(naming, countsOf(kind, given)))
    for (const key of unknown) strata.names.add(key)
    for (const { agent_id, environment, n } of counts) {
      if (n >= MOST_STRATA) strata.full.add(`${kind}\0${agent_id}\0${environment}`)
    }
  }
}

function givenNames(dialect: Sql['dialect'], keys: readonly string[]): Statement {
  const json = JSON.stringify(keys.map(key => key.split('\0').slice(1)))
  return dialect === 'postgres'
    ? sql`SELECT value ->> 0 AS agent_id, value ->> 1 AS environment, value ->> 2 AS name, nth AS first
        FROM jsonb_array_elements(CAST(CAST(${json} AS TEXT) AS JSONB)) WITH ORDINALITY AS names (value, nth)`
    : sql`SELECT value ->> 0 AS agent_id, value ->> 1 AS environment, value ->> 2 AS name, key AS first
        FROM json_each(${json})`
}

/** How many names each place of `given` has. */
function countsOf(
  kind: StrataKind,
  given: Statement,
): Query<{ readonly agent_id: string; readonly environment: string; readonly n: number }[]> {
  const counts = sql`SELECT agent_id, environment, (SELECT count(*) FROM strata t WHERE t.agent_id = d.agent_id
      AND t.environment = d.environment AND t.kind = ${raw(`'${kind}'`)}) AS n
    FROM (SELECT DISTINCT agent_id, environment FROM (${given}) AS names) AS d`
  return allRows(counts, columns({ agent_id: asText, environment: asText, n: asNumber }))
}

/** The strata of a tenant. */
export function namedTenant(tenant: string): Statement {
  return sql`SELECT id FROM strata WHERE ${isTenant(tenant)}`
}

/** Empties the name of an erased tenant. Its id stays: it is never given to another one. */
export function forgetTenant(tenant: string, guard: Statement): Statement {
  return sql`UPDATE strata SET name = NULL WHERE ${isTenant(tenant)} AND ${guard}`
}

function isTenant(tenant: string): Statement {
  return sql`kind = 'tenant' AND name = ${tenant}`
}
