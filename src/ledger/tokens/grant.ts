import type { Role } from '../../models/answers/token.ts'
import type { Row } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Grant } from '../world/token_cache.ts'

export function toGrant(row: Row): Grant {
  const list = (column: 'agents' | 'environments'): string[] | null =>
    nullable(row[column], text => JSON.parse(String(text)) as string[])
  return {
    name: String(row.name),
    role: String(row.role) as Role,
    agents: list('agents'),
    environments: list('environments'),
  }
}

/**
 * Of the salt, the token and what it is good for, so that who edits the table can't make it good for more. For how long
 * isn't in it: a rotation shortens that, and the token isn't known then. `svc doctor --deep` finds such an edit.
 */
export function tokenHash(salt: string, text: string, grant: Grant): Promise<string> {
  const { name, role, agents, environments } = grant
  return sha256(JSON.stringify([salt, text, name, role, agents, environments]))
}
