import { equalTexts, sha256 } from '../../base/bytes.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { tokenDigits } from '../../base/token_text.ts'
import { inTime, unbounded } from '../../sql/deadline.ts'
import { type Sql, SqlError, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, hasRow, orNull, together, asJson } from '../../sql/query.ts'
import { headQuery } from '../trail/chain.ts'
import { type TimedLedger, clockOf, requireClock } from '../trail/clock.ts'
import type { KnownToken, KnownTokens, Grant } from '../world/token_cache.ts'
import type { Role } from '../../models/answers/token.ts'

/** What is remembered of tokens: nothing that another server changed is believed for longer than this, ms. */
const BELIEVED_MS = 3000

/** The tokens that are good, where they were read lately enough to be believed. */
export function freshTokens({
  memo,
  elapsed,
}: Pick<TimedLedger, 'memo' | 'elapsed'>): KnownTokens | undefined {
  const { known } = memo.tokens
  return known !== undefined && elapsed() - known.readAt < BELIEVED_MS ? known : undefined
}

/** The tokens that are good. One read serves all requests of three seconds. */
export async function knownTokens(place: TimedLedger): Promise<KnownTokens> {
  const fresh = freshTokens(place)
  if (fresh !== undefined) return fresh
  const { memo } = place
  const { changes } = memo.tokens
  const { deadline } = place.sql.options
  if (memo.readingTokens?.changes === changes) return inTime(memo.readingTokens.tokens, deadline)
  const reading = { changes, tokens: readTokens({ ...place, sql: unbounded(place.sql) }) }
  memo.readingTokens = reading
  return inTime(
    reading.tokens.finally(() => {
      if (memo.readingTokens === reading) memo.readingTokens = undefined
    }),
    deadline,
  )
}

/** A read that takes longer says nothing of now any more, ms. */
const READ_WITHIN_MS = 2000

async function readTokens(place: TimedLedger): Promise<KnownTokens> {
  const { sql: db, memo, now, elapsed } = place
  const [readAt, startedAt] = [elapsed(), now()]
  const { changes } = memo.tokens
  const { head, live, anyLeft } = await ask(
    db,
    together({
      head: headQuery(db.clock),
      live: allRows(
        sql`SELECT token_id, name, role, agents, environments, source, salt, hash, expires_at FROM tokens
          WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${db.clock})`,
        columns({ ...GRANT, token_id: asText, salt: asText, hash: asText, expires_at: orNull(asNumber) }),
      ),
      anyLeft: hasRow(sql`SELECT 1 AS found FROM tokens WHERE revoked_at IS NULL LIMIT 1`),
    }),
  )
  const known = {
    readAt,
    clock: clockOf(place, head, startedAt),
    byDigits: new Map(
      live.map(({ token_id, expires_at, ...token }): [string, KnownToken] => [
        token_id.slice(4),
        { ...token, tokenId: token_id, expiresAt: expires_at },
      ]),
    ),
    anyLeft,
  }
  if (elapsed() - readAt > READ_WITHIN_MS) throw new SqlError('unavailable', SLOW, undefined, SLOW)
  // One that was revoked here while we read may be in what we read.
  if (changes === memo.tokens.changes) memo.tokens.known = known
  return known
}

const SLOW = 'the list of valid tokens came late'

/**
 * What a presented token is good for; undefined where it is unknown, or over at `elapsed`, in the time that this process
 * counts. Throws 503 for one with an end where the clock is wrong.
 */
export async function grantOf(
  { byDigits, clock, readAt }: KnownTokens,
  presented: string,
  elapsed: number,
): Promise<KnownToken | undefined> {
  const known = byDigits.get(tokenDigits(presented) ?? '')
  if (known === undefined) return undefined
  const hash = await tokenHash(known.salt, presented, known)
  if (!equalTexts(hash, known.hash)) return undefined
  if (known.expiresAt === null) return known
  requireClock(clock)
  return known.expiresAt > clock.now + elapsed - readAt ? known : undefined
}

/** How exactly the last use of a credential is known: a server writes it at most so often. */
const USE_EVERY_MS = MINUTE_MS

/** Credentials of which that is remembered. */
const MOST_USED = 1000

/** Notes that a credential was used; what has to be written of it, or nothing where a use was written lately. */
export function noteUse(
  { memo, elapsed, sql: db }: Pick<TimedLedger, 'memo' | 'elapsed' | 'sql'>,
  table: 'tokens' | 'sessions',
  id: string,
): (() => Promise<void>) | undefined {
  const { used } = memo.tokens
  const [at, last] = [elapsed(), used.get(id)]
  if (last !== undefined && at - last < USE_EVERY_MS) return undefined
  if (used.size >= MOST_USED) used.clear()
  used.set(id, at)
  return () => writeUse(unbounded(db), table, id)
}

/** A use that lies ahead was noted by another clock. */
async function writeUse(db: Sql, table: 'tokens' | 'sessions', id: string): Promise<void> {
  const { clock } = db
  const key = table === 'tokens' ? sql`token_id` : sql`session_id`
  await db.batch([
    sql`UPDATE ${raw(table)} SET last_used_at = ${clock} WHERE ${key} = ${id} AND (last_used_at IS NULL
      OR last_used_at <= ${clock} - ${USE_EVERY_MS / 2} OR last_used_at > ${clock} + ${USE_EVERY_MS / 2})`,
  ])
}

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
