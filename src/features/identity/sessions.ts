import { sha256 } from '../../base/bytes.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { MINUTE_MS, isoTime } from '../../base/time.ts'
import type { SessionRecord } from './models.ts'
import type { Role } from '../../models/answers/token.ts'
import type { Clock } from '../../rules/clock.ts'
import { type Row, type Sql, type Statement, rowsOf, sql, unbounded } from '../../sql/port.ts'
import { ask, firstRow, nullable, together } from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { headQuery } from '../../ledger/trail/chain.ts'
import { clockOf, readClock, requireClock } from '../../ledger/trail/clock.ts'
import { type NewEntry, SERVICE_ACTOR } from '../../ledger/trail/log.ts'
import { logOnly, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Identity, Ledger } from '../../ledger/world/ledger.ts'
import { type SeenSession, memoryOf } from './memory.ts'
import {
  SECRET_DIGITS,
  type SessionKind,
  type SigningKey,
  csrfToken,
  sessionIn,
  signedCredential,
} from './rules_credential.ts'

/** A person, and what that person may do here. */
export interface Person extends Identity {
  /** What is put on record. */
  readonly name: string
  readonly role: Role
  readonly agents: readonly string[] | null
  readonly environments: readonly string[] | null
  /** Of the rules that gave the role: where they are others by now, the person has to sign in again. */
  readonly rolesHash: string
}

/** A session as it is stored. */
export interface StoredSession extends Person {
  readonly sessionId: string
  readonly kind: SessionKind
  readonly hash: string
  readonly createdAt: number
  readonly idleMs: number
  readonly expiresAt: number
  readonly lastUsedAt: number
  readonly endedAt: number | null
  readonly endedBecause: SessionRecord['ended_because']
  readonly endedBy: string | null
}

export interface NewSession {
  readonly kind: SessionKind
  readonly person: Person
  /** What opens one session and no other: the nonce of a sign-in, or an ID token. */
  readonly proof: string
  /** The session that the same browser had before. */
  readonly replaces?: string | undefined
  readonly idleMs: number
  readonly lastsMs: number
  /** Put on record where the workspace says so. */
  readonly address?: string | undefined
}

export interface Opened {
  readonly session: StoredSession
  /** What proves it from now on. It is told this once. */
  readonly credential: string
}

/** Opens a session, and ends the one that it replaces. Throws 400 where its proof opened one before. */
export async function openSession(ledger: Ledger, given: NewSession): Promise<Opened> {
  const { kind, person, idleMs, lastsMs, replaces = '', address } = given
  const [key, proof] = [await signingKey(ledger), await sha256(given.proof)]
  const digits = ledger.newId('')
  const secret = Array.from({ length: 4 }, () => ledger.newId(''))
    .join('')
    .slice(0, SECRET_DIGITS)
  const sessionId = `ses_${digits}`
  const credential = await signedCredential(key, kind, digits, secret)
  const { issuer, subject, role, agents, environments } = person
  const actor: Actor = { name: person.name, source: 'oidc', identity: { issuer, subject } }
  const reads = [
    sql`SELECT session_id FROM sessions WHERE proof_hash = ${proof}`,
    sql`SELECT * FROM sessions WHERE session_id = ${replaces} AND ended_at IS NULL`,
  ]
  const session = await writeLogged<StoredSession>(ledger, reads, async ([used, before], clock) => {
    requireClock(clock)
    if (used!.rows.length > 0) {
      throw badRequest('This sign-in was used before: each opens one session. Sign in again.')
    }
    const unhashed = {
      ...person,
      sessionId,
      kind,
      createdAt: clock.now,
      idleMs,
      expiresAt: clock.now + lastsMs,
      lastUsedAt: clock.now,
      endedAt: null,
      endedBecause: null,
      endedBy: null,
    }
    const opened = { ...unhashed, hash: await sessionHash(credential, unhashed) }
    const row = { ...toRow(opened), proof_hash: proof }
    const replaced = before!.rows.map(old => endOf(old, { because: 'replaced', by: person.name }, clock.now))
    const details = { kind, issuer, subject, role, agents, environments, expires_at: opened.expiresAt }
    return {
      id: sessionId,
      revises: false,
      entries: [
        ...(await Promise.all(replaced.map(old => endEntry(old, actor, clock.now)))),
        {
          kind: 'session.opened',
          subject: sessionId,
          actor,
          reason: null,
          created_at: clock.now,
          fact: null,
          details: {
            ...details,
            ...(address === undefined ? {} : { address }),
            ...holding(await holdsOf('sessions', [row])),
          },
        },
      ],
      statements: guard => [insertStatement(row, guard), ...replaced.map(old => endStatement(old, guard))],
      read: ([inserted]) => (inserted!.changes === 0 ? undefined : opened),
      recorded: async () => ((await findRow(ledger.sql, sessionId)) === undefined ? undefined : opened),
    }
  })
  forget(ledger, sessionId, replaces)
  return { session, credential }
}

/** Of the secret and what it is good for and until when, so that who edits the table can't make it good for more. */
function sessionHash(credential: string, session: Omit<StoredSession, 'hash'>): Promise<string> {
  const { kind, issuer, subject, name, role, agents, environments, rolesHash, idleMs, expiresAt } = session
  const of = [
    credential,
    kind,
    issuer,
    subject,
    name,
    role,
    agents,
    environments,
    rolesHash,
    idleMs,
    expiresAt,
  ]
  return sha256(JSON.stringify(of))
}

/** Whether a credential is that of a session, as it was opened. */
export async function proves(credential: string, session: StoredSession): Promise<boolean> {
  return session.hash === (await sessionHash(credential, session))
}

/** Notes that somebody proved who it is and was not let in; `because` says why. */
export function refuseSession(
  ledger: Ledger,
  identity: Identity,
  { because, kind, address }: { because: string; kind: SessionKind; address?: string | undefined },
): Promise<void> {
  return logOnly(ledger, {
    kind: 'session.refused',
    actor: { name: identity.subject, source: 'oidc' },
    reason: null,
    details: { kind, ...identity, because, ...(address === undefined ? {} : { address }) },
  })
}

export interface End {
  readonly because: NonNullable<SessionRecord['ended_because']>
  readonly actor: Actor
}

/** Ends a session that is open, at once on this server and within 5 s on others. Returns how many that was. */
export async function endSession(
  ledger: Ledger,
  sessionId: string,
  { because, actor }: End,
): Promise<number> {
  const found = sql`SELECT * FROM sessions WHERE session_id = ${sessionId} AND ended_at IS NULL`
  const id = ledger.newId('end_')
  const ended = await writeLogged<number>(ledger, [found], async ([open], clock) => {
    const [row] = open!.rows
    if (row === undefined) return { already: 0 }
    const over = endOf(row, { because, by: actor.name }, clock.now)
    return {
      id,
      revises: false,
      entries: [await endEntry(over, actor, clock.now)],
      statements: guard => [endStatement(over, guard)],
      read: ([updated]) => updated!.changes || undefined,
      recorded: async () => ((await findRow(ledger.sql, sessionId))?.ended_at == null ? undefined : 1),
    }
  })
  forget(ledger, sessionId)
  return ended
}

/** Puts an end to sessions whose time is over, and returns how many; none by a clock that is wrong. They open nothing before. */
export async function endOverdue(ledger: Ledger): Promise<number> {
  const { clock } = ledger.sql
  const over = sql`SELECT * FROM sessions WHERE ended_at IS NULL AND (expires_at <= ${clock}
    OR last_used_at + idle_ms <= ${clock}) ORDER BY seq LIMIT ${MOST_AT_ONCE}`
  if ((await rowsOf(ledger.sql, over)).length === 0) return 0
  const { apart, doubt } = await readClock(ledger)
  if (apart !== undefined || doubt !== undefined) return 0
  return writeLogged<number>(ledger, [over], async ([found], { now }) => {
    if (found!.rows.length === 0) return { already: 0 }
    const ended = found!.rows.map(row => {
      const [expires, idle] = [Number(row.expires_at), Number(row.last_used_at) + Number(row.idle_ms)]
      return endOf(row, { because: expires <= idle ? 'expired' : 'idle', by: null }, Math.min(expires, idle))
    })
    return {
      id: ledger.newId('end_'),
      revises: false,
      entries: await Promise.all(ended.map(row => endEntry(row, SERVICE_ACTOR, now))),
      statements: guard => ended.map(row => endStatement(row, guard)),
      read: results => (results.every(({ changes }) => changes === 1) ? ended.length : undefined),
      recorded: async () => undefined,
    }
  })
}

const MOST_AT_ONCE = 50

/** When somebody last revoked a session of a person, epoch ms; 0 where nobody did. */
export async function revokedAt(db: Sql, { issuer, subject }: Identity): Promise<number> {
  const [row] = await rowsOf(
    db,
    sql`SELECT max(ended_at) AS at FROM sessions
      WHERE issuer = ${issuer} AND subject = ${subject} AND ended_because = 'revoked'`,
  )
  return Number(row?.at ?? 0)
}

/** Whether a proof opened a session before. */
export async function wasProof(db: Sql, proof: string): Promise<boolean> {
  const used = sql`SELECT 1 AS found FROM sessions WHERE proof_hash = ${await sha256(proof)}`
  return (await rowsOf(db, used)).length > 0
}

/** Sessions, newest first; of one person where it says so. */
export async function listSessions(
  db: Sql,
  { of, limit }: { readonly of: Identity | undefined; readonly limit: number },
): Promise<SessionRecord[]> {
  const where = of === undefined ? sql`true` : sql`issuer = ${of.issuer} AND subject = ${of.subject}`
  const rows = await rowsOf(
    db,
    sql`SELECT sessions.*, ${db.clock} AS now FROM sessions WHERE ${where} ORDER BY seq DESC LIMIT ${limit}`,
  )
  return rows.map(row => toRecord(toSession(row), Number(row.now)))
}

/** A session by its id as it was at most three seconds ago. */
export async function seenSession(place: Place, sessionId: string): Promise<SeenSession> {
  const memory = memoryOf(place.memo)
  const known = memory.sessions.get(sessionId)
  if (known !== undefined && place.elapsed() - known.readAt < BELIEVED_MS) return known
  const [readAt, askedAt, { changes }] = [place.elapsed(), place.now(), { ...memory }]
  const { head, session } = await ask(
    place.sql,
    together({
      head: headQuery(place.sql.clock),
      session: firstRow(sql`SELECT * FROM sessions WHERE session_id = ${sessionId}`, toSession),
    }),
  )
  const seen = { session, readAt, clock: clockOf(place, head, askedAt) }
  if (memory.sessions.size >= MOST_KNOWN) memory.sessions.clear()
  // One that ended here while we read may be open in what we read.
  if (memory.changes === changes) memory.sessions.set(sessionId, seen)
  return seen
}

type Place = Pick<Ledger, 'sql' | 'memo' | 'now' | 'elapsed' | 'log'>

/** What another server changed is not believed for longer than this, ms. */
const BELIEVED_MS = 3000
const MOST_KNOWN = 1000

/** Why a session opens nothing any more; undefined while it does. `elapsed` is the time that this process counts, ms. */
export function overBecause(
  { endedBecause, expiresAt, lastUsedAt, idleMs }: StoredSession,
  now: number,
): SessionRecord['ended_because'] | undefined {
  if (endedBecause !== null) return endedBecause
  if (expiresAt <= now) return 'expired'
  return lastUsedAt + idleMs <= now ? 'idle' : undefined
}

/** Notes that a session is used; what has to be written of it, or nothing where a use was written lately. */
export function noteSessionUse(
  { memo, elapsed, sql: db }: Pick<Place, 'memo' | 'elapsed' | 'sql'>,
  sessionId: string,
): (() => Promise<void>) | undefined {
  const { used } = memoryOf(memo)
  const [at, last] = [elapsed(), used.get(sessionId)]
  if (last !== undefined && at - last < USE_EVERY_MS) return undefined
  if (used.size >= MOST_KNOWN) used.clear()
  used.set(sessionId, at)
  return async () => {
    const { clock } = db
    await unbounded(db).batch([
      sql`UPDATE sessions SET last_used_at = ${clock} WHERE session_id = ${sessionId} AND ended_at IS NULL
        AND last_used_at <= ${clock} - ${USE_EVERY_MS / 2}`,
    ])
  }
}

/** How exactly the last use of a session is known: a server writes it at most so often. */
const USE_EVERY_MS = MINUTE_MS

/** The id of the session that a credential of this kind names; undefined where no server of this ledger signed it. */
export async function signedSession(
  place: Place,
  kind: SessionKind,
  credential: string,
): Promise<string | undefined> {
  const key = await knownKey(place)
  return key === undefined ? undefined : sessionIn(key, kind, credential)
}

/** What our pages send beside the cookie of a session; undefined where nobody has signed in yet. */
export async function csrfOf(place: Place, credential: string): Promise<string | undefined> {
  const key = await knownKey(place)
  return key === undefined ? undefined : csrfToken(key, credential)
}

/** The key that signs cookies, which the first sign-in makes. */
export async function signingKey(ledger: Ledger): Promise<SigningKey> {
  const memory = memoryOf(ledger.memo)
  const known = await knownKey(ledger)
  if (known !== undefined) return known
  const keyId = ledger.newId('key_')
  const secret = Array.from({ length: 6 }, () => ledger.newId('')).join('')
  const text = await writeLogged<string>(ledger, [KEY], async ([found], { now: at }) => {
    const [row] = found!.rows
    if (row !== undefined) return { already: String(row.secret) }
    const holds = await holdsOf('session_keys', [{ key_id: keyId, secret, created_at: at }])
    return {
      id: keyId,
      revises: false,
      entries: [
        {
          kind: 'session.key_made',
          subject: keyId,
          actor: SERVICE_ACTOR,
          reason: null,
          created_at: at,
          fact: null,
          details: holding(holds),
        },
      ],
      statements: guard => [
        sql`INSERT INTO session_keys (key_id, secret, created_at)
          SELECT ${keyId}, ${secret}, CAST(${at} AS BIGINT) WHERE ${guard}`,
      ],
      read: ([inserted]) => (inserted!.changes === 0 ? undefined : secret),
      recorded: async () => (await rowsOf(ledger.sql, KEY))[0]?.secret as string | undefined,
    }
  })
  return (memory.key = new TextEncoder().encode(text))
}

const KEY = sql`SELECT secret FROM session_keys ORDER BY created_at, key_id LIMIT 1`

/** The key, where there is one: nobody has a session before. It is looked for again every three seconds. */
async function knownKey({ sql: db, memo, elapsed }: Pick<Place, 'sql' | 'memo' | 'elapsed'>) {
  const memory = memoryOf(memo)
  if (memory.key !== undefined || elapsed() - memory.keyReadAt < BELIEVED_MS) return memory.key
  const [row] = await rowsOf(db, KEY)
  memory.keyReadAt = elapsed()
  if (row !== undefined) memory.key = new TextEncoder().encode(String(row.secret))
  return memory.key
}

function forget({ memo }: Pick<Ledger, 'memo'>, ...ids: readonly string[]): void {
  const memory = memoryOf(memo)
  memory.changes++
  for (const id of ids) memory.sessions.delete(id)
}

async function findRow(db: Sql, sessionId: string): Promise<Row | undefined> {
  return (await rowsOf(db, sql`SELECT * FROM sessions WHERE session_id = ${sessionId}`))[0]
}

function endOf(
  row: Row,
  { because, by }: { because: NonNullable<SessionRecord['ended_because']>; by: string | null },
  at: number,
): Row {
  return { ...row, ended_at: at, ended_because: because, ended_by: by }
}

async function endEntry(row: Row, actor: NewEntry['actor'], created_at: number): Promise<NewEntry> {
  const { session_id, name, issuer, subject, ended_because: because } = row
  const details = { name, issuer, subject, because, ...holding(await holdsOf('sessions', [row])) }
  return {
    kind: 'session.ended',
    subject: String(session_id),
    actor,
    reason: null,
    created_at,
    fact: null,
    details,
  }
}

function endStatement({ session_id, ended_at, ended_because, ended_by }: Row, guard: Statement): Statement {
  return sql`UPDATE sessions SET ended_at = ${ended_at!}, ended_because = ${ended_because!}, ended_by = ${ended_by!}
    WHERE session_id = ${session_id!} AND ended_at IS NULL AND ${guard}`
}

function insertStatement(row: Row, guard: Statement): Statement {
  return sql`INSERT INTO sessions (session_id, kind, issuer, subject, name, role, agents, environments, roles_hash, hash,
      proof_hash, created_at, idle_ms, expires_at, last_used_at)
    SELECT ${row.session_id!}, ${row.kind!}, ${row.issuer!}, ${row.subject!}, ${row.name!}, ${row.role!},
      CAST(${row.agents!} AS TEXT), CAST(${row.environments!} AS TEXT), ${row.roles_hash!}, ${row.hash!},
      ${row.proof_hash!}, CAST(${row.created_at!} AS BIGINT), CAST(${row.idle_ms!} AS BIGINT),
      CAST(${row.expires_at!} AS BIGINT), CAST(${row.last_used_at!} AS BIGINT) WHERE ${guard}`
}

function toRow(session: StoredSession): Row {
  const list = (names: readonly string[] | null): string | null =>
    names === null ? null : JSON.stringify(names)
  return {
    session_id: session.sessionId,
    kind: session.kind,
    issuer: session.issuer,
    subject: session.subject,
    name: session.name,
    role: session.role,
    agents: list(session.agents),
    environments: list(session.environments),
    roles_hash: session.rolesHash,
    hash: session.hash,
    created_at: session.createdAt,
    idle_ms: session.idleMs,
    expires_at: session.expiresAt,
    last_used_at: session.lastUsedAt,
    ended_at: session.endedAt,
    ended_because: session.endedBecause,
    ended_by: session.endedBy,
  }
}

function toSession(row: Row): StoredSession {
  const list = (column: string): string[] | null =>
    nullable(row[column], text => JSON.parse(String(text)) as string[])
  return {
    sessionId: String(row.session_id),
    kind: row.kind as SessionKind,
    issuer: String(row.issuer),
    subject: String(row.subject),
    name: String(row.name),
    role: row.role as Role,
    agents: list('agents'),
    environments: list('environments'),
    rolesHash: String(row.roles_hash),
    hash: String(row.hash),
    createdAt: Number(row.created_at),
    idleMs: Number(row.idle_ms),
    expiresAt: Number(row.expires_at),
    lastUsedAt: Number(row.last_used_at),
    endedAt: nullable(row.ended_at, Number),
    endedBecause: nullable(row.ended_because, text => text as StoredSession['endedBecause']),
    endedBy: nullable(row.ended_by, String),
  }
}

/** A session as it is listed at `now`, by the database's clock. */
export function toRecord(session: StoredSession, now: number): SessionRecord {
  const { expiresAt, lastUsedAt, idleMs, endedAt } = session
  const because = overBecause(session, now) ?? null
  const idleAt = Math.min(expiresAt, lastUsedAt + idleMs)
  return {
    session_id: session.sessionId,
    kind: session.kind,
    name: session.name,
    issuer: session.issuer,
    subject: session.subject,
    role: session.role,
    agents: session.agents === null ? null : [...session.agents],
    environments: session.environments === null ? null : [...session.environments],
    state: because === null ? 'open' : 'ended',
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(lastUsedAt),
    idle_at: isoTime(idleAt),
    expires_at: isoTime(expiresAt),
    ended_at: because === null ? null : isoTime(endedAt ?? idleAt),
    ended_because: because,
    ended_by: session.endedBy,
  }
}

/** 404 for a session that there is none of, or that its caller may not know of. */
export function unknownSession(sessionId: string): ServiceError {
  return new ServiceError(404, `Unknown session: ${sessionId}`)
}

/** What a clock said of `readAt` says now, in the time that this process counts. */
export function nowBy({ clock, readAt }: { clock: Clock; readAt: number }, elapsed: number): number {
  return clock.now + elapsed - readAt
}
