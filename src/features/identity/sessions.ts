import { sha256 } from '../../base/bytes.ts'
import { ServiceError, badRequest } from '../../base/errors.ts'
import type { SessionEnd, SessionKind, SessionRecord } from './models.ts'
import { type Row, type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asRow,
  ask,
  field,
  hasRow,
  onlyRow,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { readClock, requireClock } from '../../ledger/trail/clock.ts'
import { type NewEntry, SERVICE_ACTOR } from '../../ledger/trail/chain.ts'
import { logOnly, writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Identity, Ledger } from '../../ledger/world/ledger.ts'
import { forget, signingKey } from './known.ts'
import { type Person, type StoredSession, sessionHash, toRecord, toRow, toSession } from './rows.ts'
import { SECRET_DIGITS, signedCredential } from './rules_credential.ts'

export interface NewSession {
  readonly kind: SessionKind
  readonly person: Person
  /** What opens one session and no other: the nonce of a sign-in, or an ID token. */
  readonly proof: string
  /** The session that the same browser had before. */
  readonly replaces?: string | undefined
  readonly idle_ms: number
  readonly lasts_ms: number
  /** Where it was opened from, for the record. */
  readonly from?: From | undefined
}

/** The address of a client, where the workspace says that it is kept. */
export interface From {
  readonly address?: string
}

export interface Opened {
  readonly session: StoredSession
  /** What proves it from now on. It is returned this once. */
  readonly credential: string
}

/** Opens a session, and ends the one that it replaces. Throws 400 where its proof opened one before. */
export async function openSession(ledger: Ledger, given: NewSession): Promise<Opened> {
  const { kind, person, idle_ms, lasts_ms, replaces = '', from } = given
  const [key, proof] = [await signingKey(ledger), await sha256(given.proof)]
  const digits = ledger.newId('')
  const secret = Array.from({ length: 4 }, () => ledger.newId(''))
    .join('')
    .slice(0, SECRET_DIGITS)
  const session_id = `ses_${digits}`
  const credential = await signedCredential(key, kind, digits, secret)
  const { issuer, subject, role, agents, environments } = person
  const actor: Actor = { name: person.name, source: 'oidc', identity: { issuer, subject } }
  const query = together({ isUsed: hasProof(proof), before: openRows(sql`session_id = ${replaces}`) })
  const session = await writeLogged(ledger, query, async ({ isUsed, before }, clock) => {
    requireClock(clock)
    if (isUsed) {
      throw badRequest('This sign-in was used before: each opens one session. Sign in again.')
    }
    const unhashed = {
      ...person,
      session_id,
      kind,
      created_at: clock.now,
      idle_ms,
      expires_at: clock.now + lasts_ms,
      last_used_at: clock.now,
      ended_at: null,
      ended_because: null,
      ended_by: null,
    }
    const opened = { ...unhashed, hash: await sessionHash(credential, unhashed) }
    const row = { ...toRow(opened), proof_hash: proof }
    const replaced = before.map(old => endOf(old, { because: 'replaced', by: person.name }, clock.now))
    const details = { kind, issuer, subject, role, agents, environments, expires_at: opened.expires_at }
    return {
      id: session_id,
      revises: 'none',
      entries: [
        ...(await Promise.all(replaced.map(old => endEntry(old, actor, clock.now)))),
        {
          kind: 'session.opened',
          subject: session_id,
          actor,
          reason: null,
          created_at: clock.now,
          fact: null,
          details: { ...details, ...from, ...holding(await holdsOf('sessions', [row])) },
        },
      ],
      write: guard => [insertRow('sessions', row, guard), ...replaced.map(old => endStatement(old, guard))],
      done: opened,
    }
  })
  forget(ledger, session_id, replaces)
  return { session, credential }
}

/** Puts on record that somebody proved who it is and was not let in, and why: at most six times an hour, so that nobody fills the log. */
export async function noteRefusal(
  ledger: Ledger,
  identity: Identity,
  details: From & { readonly because: string; readonly kind: SessionKind },
): Promise<void> {
  const { issuer, subject } = identity
  const wait = ledger.memo.buckets.take(`refused ${issuer} ${subject}`, SIX_AN_HOUR, ledger.now())
  if (wait > 0) return
  await logOnly(ledger, {
    kind: 'session.refused',
    actor: { name: subject, source: 'oidc' },
    reason: null,
    details: { ...identity, ...details },
  })
}

const SIX_AN_HOUR = { amount: 6, spanMs: 3_600_000 }

export interface End {
  readonly because: SessionEnd
  readonly actor: Actor
}

/** Ends a session that is open, at once on this server and within 5 s on others. Returns how many that was. */
export async function endSession(
  ledger: Ledger,
  sessionId: string,
  { because, actor }: End,
): Promise<number> {
  const open = openRows(sql`session_id = ${sessionId}`)
  const ended = await endSessions(ledger, open, actor, (row, now) =>
    endOf(row, { because, by: actor.name }, now),
  )
  forget(ledger, sessionId)
  return ended
}

/** Puts an end to sessions whose time is over, and returns how many; none by a clock that is wrong. They open nothing before. */
export async function endOverdue(ledger: Ledger): Promise<number> {
  const { clock } = ledger.sql
  const over = openRows(sql`(expires_at <= ${clock} OR last_used_at + idle_ms <= ${clock})`)
  if ((await ask(ledger.sql, over)).length === 0) return 0
  const { apart, doubt } = await readClock(ledger)
  if (apart !== undefined || doubt !== undefined) return 0
  return endSessions(ledger, over, SERVICE_ACTOR, row => {
    const { expires_at, last_used_at, idle_ms } = toSession(row)
    const idle = last_used_at + idle_ms
    const because = expires_at <= idle ? 'expired' : 'idle'
    return endOf(row, { because, by: null }, Math.min(expires_at, idle))
  })
}

/** Ends the sessions that `open` finds, each as `ended` says, with an entry each. Returns how many these were. */
function endSessions(
  ledger: Ledger,
  open: Query<Row[]>,
  actor: NewEntry['actor'],
  ended: (row: Row, now: number) => Row,
): Promise<number> {
  const id = ledger.newId('end_')
  return writeLogged<number, Row[]>(ledger, open, async (found, { now }) => {
    if (found.length === 0) return { already: 0 }
    const rows = found.map(row => ended(row, now))
    return {
      id,
      revises: 'none',
      entries: await Promise.all(rows.map(row => endEntry(row, actor, now))),
      write: guard => rows.map(row => endStatement(row, guard)),
      done: rows.length,
    }
  })
}

/** When somebody last revoked a session of a person, epoch ms; 0 where nobody did. */
export async function revokedAt(db: Sql, { issuer, subject }: Identity): Promise<number> {
  const last = sql`SELECT max(ended_at) AS at FROM sessions
    WHERE issuer = ${issuer} AND subject = ${subject} AND ended_because = 'revoked'`
  return (await ask(db, onlyRow(last, field('at', orNull(asNumber))))) ?? 0
}

/** Whether a proof opened a session before. */
export async function wasProof(db: Sql, proof: string): Promise<boolean> {
  return ask(db, hasProof(await sha256(proof)))
}

/** Sessions, newest first; of one person where it says so. */
export async function listSessions(
  db: Sql,
  { of, limit }: { readonly of: Identity | undefined; readonly limit: number },
): Promise<SessionRecord[]> {
  const where = of === undefined ? sql`true` : sql`issuer = ${of.issuer} AND subject = ${of.subject}`
  const found = sql`SELECT sessions.*, ${db.clock} AS now FROM sessions WHERE ${where} ORDER BY seq DESC LIMIT ${limit}`
  return ask(
    db,
    allRows(found, row => toRecord(toSession(row), asNumber(row.now))),
  )
}

/** All of the sessions that are open, for entries of the audit log: the first of those for which this holds. */
function openRows(condition: Statement): Query<Row[]> {
  return allRows(
    sql`SELECT * FROM sessions WHERE ended_at IS NULL AND ${condition} ORDER BY seq LIMIT ${MOST_AT_ONCE}`,
    asRow,
  )
}

const MOST_AT_ONCE = 50

function hasProof(hash: string): Query<boolean> {
  return hasRow(sql`SELECT session_id FROM sessions WHERE proof_hash = ${hash}`)
}

function endOf(row: Row, { because, by }: { because: SessionEnd; by: string | null }, at: number): Row {
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

/** 404 for an unknown session, and for one that its caller may not know of. */
export function unknownSession(sessionId: string): ServiceError {
  return new ServiceError(404, `Unknown session: ${sessionId}`)
}
