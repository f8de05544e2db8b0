import { sha256 } from '../../base/bytes.ts'
import { isoTime } from '../../base/time.ts'
import type { Identity } from '../../ledger/world/ledger.ts'
import type { Role } from '../../models/answers/token.ts'
import type { Row } from '../../sql/port.ts'
import { asJson, asNumber, asText, columns, orNull } from '../../sql/query.ts'
import type { SessionEnd, SessionKind, SessionRecord } from './models.ts'

/** A person, and what that person may do here. */
export interface Person extends Identity {
  /** What is put on record. */
  readonly name: string
  readonly role: Role
  readonly agents: readonly string[] | null
  readonly environments: readonly string[] | null
  /** Of the rules that gave the role: where they are others by now, the person has to sign in again. */
  readonly roles_hash: string
}

/** A session as it is stored; times are epoch ms by the database's clock. */
export type StoredSession = ReturnType<typeof toSession>

export const toSession = columns({
  session_id: asText,
  kind: asText<SessionKind>,
  issuer: asText,
  subject: asText,
  name: asText,
  role: asText<Role>,
  agents: orNull(asJson<readonly string[]>),
  environments: orNull(asJson<readonly string[]>),
  roles_hash: asText,
  hash: asText,
  created_at: asNumber,
  idle_ms: asNumber,
  expires_at: asNumber,
  last_used_at: asNumber,
  ended_at: orNull(asNumber),
  ended_because: orNull(asText<SessionEnd>),
  ended_by: orNull(asText),
})

export function toRow({ agents, environments, ...session }: StoredSession): Row {
  return { ...session, agents: listText(agents), environments: listText(environments) }
}

function listText(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names)
}

/** A session as it is listed at `now`, by the database's clock. */
export function toRecord(session: StoredSession, now: number): SessionRecord {
  const { session_id, kind, name, issuer, subject, role, agents, environments, ended_by } = session
  const ended_because = overBecause(session, now) ?? null
  const idleAt = Math.min(session.expires_at, session.last_used_at + session.idle_ms)
  return {
    session_id,
    kind,
    name,
    issuer,
    subject,
    role,
    agents: agents === null ? null : [...agents],
    environments: environments === null ? null : [...environments],
    state: ended_because === null ? 'open' : 'ended',
    created_at: isoTime(session.created_at),
    last_used_at: isoTime(session.last_used_at),
    idle_at: isoTime(idleAt),
    expires_at: isoTime(session.expires_at),
    ended_at: ended_because === null ? null : isoTime(session.ended_at ?? idleAt),
    ended_because,
    ended_by,
  }
}

/** Why a session opens nothing any more at `now`, by the database's clock; undefined while it does. */
export function overBecause(session: StoredSession, now: number): SessionEnd | undefined {
  const { ended_because, expires_at, last_used_at, idle_ms } = session
  if (ended_because !== null) return ended_because
  if (expires_at <= now) return 'expired'
  return last_used_at + idle_ms <= now ? 'idle' : undefined
}

/** Of the secret and what it is good for and until when, so that who edits the table can't make it good for more. */
export function sessionHash(credential: string, session: Omit<StoredSession, 'hash'>): Promise<string> {
  const { kind, issuer, subject, name, role, agents, environments } = session
  const grant = [kind, issuer, subject, name, role, agents, environments]
  return sha256(
    JSON.stringify([credential, ...grant, session.roles_hash, session.idle_ms, session.expires_at]),
  )
}
