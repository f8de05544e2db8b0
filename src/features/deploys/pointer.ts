import type { Pointer } from './models.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'

/** The promoted release of an agent in an environment, if there is one. */
export async function readPointer(
  db: Sql,
  agentId: string,
  environment: string,
): Promise<Pointer | undefined> {
  const [row] = await rowsOf(db, pointersWhere(environment, sql`p.agent_id = ${agentId}`))
  return row === undefined ? undefined : toPointer(row)
}

/** The promoted releases of an environment, by agent, of those that a caller may see. */
export async function readPointers(db: Sql, environment: string, scope: Scope): Promise<Pointer[]> {
  const covered = inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })
  return (await rowsOf(db, pointersWhere(environment, covered))).map(toPointer)
}

function pointersWhere(environment: string, condition: Statement): Statement {
  return sql`SELECT p.agent_id, p.environment, p.release_id, r.version, r.checksum
    FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
    WHERE p.environment = ${environment} AND ${condition} ORDER BY p.agent_id`
}

function toPointer(row: Row): Pointer {
  return {
    agent_id: String(row.agent_id),
    environment: String(row.environment),
    release_id: String(row.release_id),
    version: String(row.version),
    checksum: String(row.checksum),
  }
}
