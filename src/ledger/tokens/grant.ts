import type { Role } from '../../models/answers/token.ts'
import { asJson, asText, orNull } from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Grant } from '../world/token_cache.ts'

/** The columns of a grant. */
export const GRANT = {
  name: asText,
  role: asText<Role>,
  agents: orNull(asJson<string[]>),
  environments: orNull(asJson<string[]>),
  source: orNull(asText),
} as const

/**
 * Of the salt, the token and what it is good for, so that who edits the table can't make it good for more. For how long
 * isn't in it: a rotation shortens that, and the token isn't known then. `svc doctor --deep` finds such an edit.
 */
export function tokenHash(salt: string, text: string, grant: Grant): Promise<string> {
  const { name, role, agents, environments, source } = grant
  const only = source === null ? [] : [source]
  return sha256(JSON.stringify([salt, text, name, role, agents, environments, ...only]))
}
