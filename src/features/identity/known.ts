import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import { SERVICE_ACTOR, headQuery } from '../../ledger/trail/chain.ts'
import { type TimedLedger, clockOf } from '../../ledger/trail/clock.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { remembering } from '../../ledger/world/memo.ts'
import type { Clock } from '../../rules/clock.ts'
import { sql } from '../../sql/port.ts'
import { asText, ask, field, firstRow, together, insertRow } from '../../sql/query.ts'
import { type StoredSession, toSession } from './rows.ts'
import type { SessionKind } from './models.ts'
import { type SigningKey, csrfToken, sessionIn } from './rules_credential.ts'

/** What a process remembers of sessions. */
interface Memory {
  key: SigningKey | undefined
  /** When the key was last looked for, by the time that this process counts, ms. */
  keyReadAt: number
  /** Sessions that were looked up lately, by their ids. */
  readonly sessions: Map<string, SeenSession>
  /** How often this process changed any. */
  changes: number
}

/** A session as one read saw it; undefined where there is none. */
export interface SeenSession {
  readonly session: StoredSession | undefined
  readonly readAt: number
  readonly clock: Clock
}

const memoryOf = remembering((): Memory => ({
  key: undefined,
  keyReadAt: Number.NEGATIVE_INFINITY,
  sessions: new Map(),
  changes: 0,
}))

/** A session by its id as it was at most three seconds ago. */
export async function seenSession(place: TimedLedger, sessionId: string): Promise<SeenSession> {
  const memory = memoryOf(place.memo)
  const known = memory.sessions.get(sessionId)
  if (known !== undefined && place.elapsed() - known.readAt < BELIEVED_MS) return known
  const [readAt, startedAt, { changes }] = [place.elapsed(), place.now(), { ...memory }]
  const { head, session } = await ask(
    place.sql,
    together({
      head: headQuery(place.sql.clock),
      session: firstRow(sql`SELECT * FROM sessions WHERE session_id = ${sessionId}`, toSession),
    }),
  )
  const seen = { session, readAt, clock: clockOf(place, head, startedAt) }
  if (memory.sessions.size >= MOST_KNOWN) memory.sessions.clear()
  // One that ended here while we read may be open in what we read.
  if (memory.changes === changes) memory.sessions.set(sessionId, seen)
  return seen
}

/** What another server changed is not believed for longer than this, ms. */
const BELIEVED_MS = 3000
const MOST_KNOWN = 1000

/** What a clock said of `readAt` says now, in the time that this process counts. */
export function nowBy({ clock, readAt }: { clock: Clock; readAt: number }, elapsed: number): number {
  return clock.now + elapsed - readAt
}

/** The id of the session that a credential of this kind names; undefined where no server of this ledger signed it. */
export async function signedSession(
  place: TimedLedger,
  kind: SessionKind,
  credential: string,
): Promise<string | undefined> {
  const key = await knownKey(place)
  return key === undefined ? undefined : sessionIn(key, kind, credential)
}

/** What the web UI sends with the cookie of a session; undefined where nobody has signed in yet. */
export async function csrfOf(place: TimedLedger, credential: string): Promise<string | undefined> {
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
  const text = await writeLogged(ledger, KEY, async (found, { now: at }) => {
    if (found !== undefined) return { already: found }
    const row = { key_id: keyId, secret, created_at: at }
    const holds = await holdsOf('session_keys', [row])
    return {
      id: keyId,
      revises: 'none',
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
      write: guard => [insertRow('session_keys', row, guard)],
      done: secret,
    }
  })
  return (memory.key = new TextEncoder().encode(text))
}

const KEY = firstRow(
  sql`SELECT secret FROM session_keys ORDER BY created_at, key_id LIMIT 1`,
  field('secret', asText),
)

/** The key, where there is one: nobody has a session before. It is looked for again every three seconds. */
async function knownKey({ sql: db, memo, elapsed }: Pick<TimedLedger, 'sql' | 'memo' | 'elapsed'>) {
  const memory = memoryOf(memo)
  if (memory.key !== undefined || elapsed() - memory.keyReadAt < BELIEVED_MS) return memory.key
  const secret = await ask(db, KEY)
  memory.keyReadAt = elapsed()
  if (secret !== undefined) memory.key = new TextEncoder().encode(secret)
  return memory.key
}

/** What is known of these is read again. */
export function forget({ memo }: Pick<Ledger, 'memo'>, ...ids: readonly string[]): void {
  const memory = memoryOf(memo)
  memory.changes++
  for (const id of ids) memory.sessions.delete(id)
}
