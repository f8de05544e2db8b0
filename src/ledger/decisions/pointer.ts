import type { Pointer } from '../../models/answers/pointer.ts'
import { type Sql, sql } from '../../sql/port.ts'

/** The promoted release of an agent in an environment, if there is one. */
export async function readPointer(
  db: Sql,
  agentId: string,
  environment: string,
): Promise<Pointer | undefined> {
  const { rows } = await db.query(sql`SELECT p.release_id, r.version, r.checksum
    FROM promoted_pointers p JOIN releases r ON r.release_id = p.release_id
    WHERE p.agent_id = ${agentId} AND p.environment = ${environment}`)
  const row = rows[0]
  if (row === undefined) return undefined
  return {
    agent_id: agentId,
    environment,
    release_id: String(row.release_id),
    version: String(row.version),
    checksum: String(row.checksum),
  }
}
