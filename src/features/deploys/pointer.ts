import type { Pointer } from './models.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { allRows, ask, asText, columns, firstRow } from '../../sql/query.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'

/** The promoted release of an agent in an environment, if there is one. */
export async function readPointer(
  db: Sql,
  agentId: string,
  environment: string,
): Promise<Pointer | undefined> {
  return ask(db, firstRow(pointersWhere(environment, sql`p.agent_id = ${agentId}`), readColumns))
}

/** The promoted releases of an environment, by agent, of those that a caller may see. */
export async function readPointers(db: Sql, environment: string, scope: Scope): Promise<Pointer[]> {
  const covered = inScope(scope, { agent: sql`p.agent_id`, environment: sql`p.environment` })
  return ask(db, allRows(pointersWhere(environment, covered), readColumns))
}

function pointersWhere(environment: string, condition: Statement): Statement {
  return sql`SELECT p.agent_id, p.environment, p.release_id, r.version, r.checksum
    FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
    WHERE p.environment = ${environment} AND ${condition} ORDER BY p.agent_id`
}

const readColumns = columns({
  agent_id: asText,
  environment: asText,
  release_id: asText,
  version: asText,
  checksum: asText,
})
