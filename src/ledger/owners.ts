import { type Sql, type Statement, join, rowsOf, sql } from '../sql/port.ts'
import type { Ledger } from './ledger.ts'

/** Whose something is. */
export interface Owner {
  readonly agent_id: string
  readonly environment: string
}

/** The agent of a release; undefined where there is none. */
export async function ownerOfRelease(db: Sql, releaseId: string): Promise<string | undefined> {
  const [row] = await rowsOf(db, sql`SELECT agent_id FROM releases WHERE release_id = ${releaseId}`)
  return row === undefined ? undefined : String(row.agent_id)
}

/** Above this many a memo of owners begins anew. */
const MOST_REMEMBERED = 10_000

/** D1 binds at most 100 parameters. */
const PER_STATEMENT = 90

/** The agents of releases, of those that there are. A release never changes, so each is asked for once. */
export async function agentsOfReleases(
  { sql: db, memo: { owners } }: Pick<Ledger, 'sql' | 'memo'>,
  releaseIds: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(releaseIds)]
  const asked = ids.filter(id => !owners.has(id))
  if (owners.size > MOST_REMEMBERED) owners.clear()
  for (let from = 0; from < asked.length; from += PER_STATEMENT) {
    const listed = asked.slice(from, from + PER_STATEMENT).map(id => sql`${id}`)
    const rows = await rowsOf(
      db,
      sql`SELECT release_id, agent_id FROM releases WHERE release_id IN (${join(listed, ', ')})`,
    )
    for (const row of rows) owners.set(String(row.release_id), String(row.agent_id))
  }
  return owners
}

export function ownerOfAction(db: Sql, actionId: string): Promise<Owner | undefined> {
  return ownerIn(db, sql`actions WHERE action_id = ${actionId}`)
}

export function ownerOfRequest(db: Sql, requestId: string): Promise<Owner | undefined> {
  return ownerIn(db, sql`promotion_requests WHERE request_id = ${requestId}`)
}

async function ownerIn(db: Sql, from: Statement): Promise<Owner | undefined> {
  const [row] = await rowsOf(db, sql`SELECT agent_id, environment FROM ${from}`)
  return row === undefined
    ? undefined
    : { agent_id: String(row.agent_id), environment: String(row.environment) }
}
