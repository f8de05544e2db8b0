import { ServiceError, badRequest } from '../../base/errors.ts'
import { DAY_MS, isoTime } from '../../base/time.ts'
import { TOKEN_SECRET_DIGITS, tokenText } from '../../base/token_text.ts'
import type { CreatedToken, RevokedToken, TokenRecord } from '../../models/answers/token.ts'
import type { Clock } from '../../rules/clock.ts'
import { grantProblem, likenessProblem } from '../../rules/token_grant.ts'
import { type Row, type Statement, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  insertRow,
  onlyRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { holding, holdsOf } from '../trail/bound_rows.ts'
import type { NewEntry } from '../trail/chain.ts'
import { writeLogged } from '../trail/write_logged.ts'
import { requireClock } from '../trail/clock.ts'
import type { Actor, Ledger } from '../world/ledger.ts'
import { type Grant, forgetTokens } from '../world/token_cache.ts'
import { GRANT, tokenHash } from './known.ts'

export interface NewToken extends Grant {
  /** How long it is good for, ms; for ever where it is null. */
  readonly validMs: number | null
  readonly actor: Actor
}

/** Most tokens that may be live at once: all of them are kept in memory. */
const MOST_LIVE = 1000

/**
 * Makes a token, which is shown only this once. Throws 400 where a live one has the name, or nearly, and for a name or limit
 * that means something else than it says.
 */
export async function createToken(ledger: Ledger, given: NewToken): Promise<CreatedToken> {
  const { name, actor, validMs } = given
  const problem = grantProblem(given)
  if (problem !== undefined) throw badRequest(problem)
  const query = together({ named: liveTokens(name), live: liveTokens() })
  const made = await writeToken(ledger, query, async ({ named, live }, clock) => {
    if (validMs !== null) requireClock(clock)
    if (named.some(token => isLive(token, clock.now))) {
      throw badRequest(
        `There is a live token ${name}; replace it with \`svc token rotate ${name}\`, or revoke it first.`,
      )
    }
    const likeness = likenessProblem(
      name,
      live.map(token => token.name),
    )
    if (likeness !== undefined) throw badRequest(likeness)
    if (live.filter(token => isLive(token, clock.now)).length >= MOST_LIVE) {
      throw badRequest(`There are ${MOST_LIVE} live tokens; revoke some.`)
    }
    return {
      row: await newRow(ledger, given, { validMs, actor, now: clock.now }),
      kind: 'token.made',
      ended: [],
      more: () => [],
    }
  })
  return answerOf(ledger, made)
}

/** Tokens that were not revoked, the last one first; they may have expired. */
function liveTokens(name?: string): Query<LiveToken[]> {
  const named = name === undefined ? sql`true` : sql`name = ${name}`
  return allRows(
    sql`SELECT * FROM tokens WHERE revoked_at IS NULL AND ${named} ORDER BY created_at DESC, token_id DESC`,
    row => ({ ...readLive(row), row }),
  )
}

const readLive = columns({ ...GRANT, token_id: asText, created_at: asNumber, expires_at: orNull(asNumber) })

interface LiveToken extends ReturnType<typeof readLive> {
  /** All of it, for entries of the audit log. */
  readonly row: Row
}

function isLive({ expires_at }: LiveToken, now: number): boolean {
  return expires_at === null || expires_at > now
}

export interface Rotation {
  readonly name: string
  /** How long the tokens before it stay good, ms. */
  readonly overlapMs: number
  /** How long the new one is good for; as long as the one before it was where it is null. */
  readonly validMs: number | null
  readonly actor: Actor
}

/**
 * Makes a token of the same name, role and scope; those before it end after an overlap. Throws 404 for a name that no
 * live or expired token has: what was revoked is made again on purpose.
 */
export async function rotateToken(ledger: Ledger, rotation: Rotation): Promise<CreatedToken> {
  const { name, overlapMs, actor } = rotation
  const made = await writeToken(ledger, liveTokens(name), async (tokens, clock) => {
    const last = tokens[0]
    if (last === undefined) throw unknownToken(name)
    const validMs = rotation.validMs ?? validityOf(last)
    if (validMs !== null || overlapMs > 0) requireClock(clock)
    const row = await newRow(ledger, last, { validMs, actor, now: clock.now })
    const endsAt = row.stored.created_at + overlapMs
    const ended = tokens
      .filter(({ expires_at }) => expires_at === null || expires_at > endsAt)
      .map(before => ({ ...before.row, expires_at: endsAt }))
    const end = (guard: Statement): Statement => sql`UPDATE tokens SET expires_at = ${endsAt}
      WHERE name = ${name} AND token_id <> ${row.stored.token_id} AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > ${endsAt}) AND ${guard}`
    return { row, kind: 'token.rotated', ended, more: guard => [end(guard)] }
  })
  return answerOf(ledger, made)
}

function validityOf({ created_at, expires_at }: LiveToken): number | null {
  return expires_at === null ? null : Math.max(DAY_MS, expires_at - created_at)
}

/**
 * Ends all tokens of a name at once. Throws 404 where none is left, and 400 for the last one, which keeps the service closed,
 * unless `open` says that it may open.
 */
export async function revokeToken(
  ledger: Ledger,
  { name, open, actor }: { readonly name: string; readonly open: boolean; readonly actor: Actor },
): Promise<RevokedToken> {
  const id = ledger.newId('rvk_')
  const mayOpen = open || ledger.workspace.auth !== undefined
  const revoked = await writeLogged(ledger, liveTokens(), async (all, { now: at }) => {
    const tokens = all.filter(token => token.name === name)
    const ids = tokens.map(({ token_id }) => token_id).toReversed()
    if (ids.length === 0) throw unknownToken(name)
    if (!mayOpen && tokens.length === all.length) {
      throw badRequest(
        `${name} is the last named token: without one, a service that has no token of its own answers everybody. Make another one first, or allow that with --open (HTTP: open=true).`,
      )
    }
    const ended = tokens.map(({ row }) => ({ ...row, revoked_at: at, revoked_by: actor.name }))
    const details = { name, tokens: ids, ...holding(await holdsOf('tokens', ended)) }
    return {
      id,
      revises: 'none',
      entries: [entryOf('token.revoked', id, actor, at, details)],
      write: guard => [
        sql`UPDATE tokens SET revoked_at = ${at}, revoked_by = ${actor.name}
          WHERE name = ${name} AND revoked_at IS NULL AND ${guard}`,
      ],
      done: ids.length,
    }
  })
  forgetTokens(ledger.memo.tokens)
  return { name, revoked }
}

/** All tokens, also those that are over, oldest first; never what they are. */
export async function listTokens({ sql: db }: Pick<Ledger, 'sql'>): Promise<TokenRecord[]> {
  return ask(
    db,
    allRows(sql`SELECT tokens.*, ${db.clock} AS now FROM tokens ORDER BY created_at, token_id`, toRecord),
  )
}

function unknownToken(name: string): ServiceError {
  return new ServiceError(404, `Unknown token: ${name}`)
}

type NewRow = Awaited<ReturnType<typeof newRow>>

/** `now` is the database's clock. */
async function newRow(
  { newId }: Pick<Ledger, 'newId'>,
  { name, role, agents, environments, source }: Grant,
  { validMs, actor, now }: { readonly validMs: number | null; readonly actor: Actor; readonly now: number },
) {
  const tokenId = newId('tok_')
  const digits = Array.from({ length: 4 }, () => newId('')).join('')
  const text = tokenText(tokenId.slice(4), digits.slice(0, TOKEN_SECRET_DIGITS))
  const salt = newId('') + newId('')
  const grant = { name, role, agents, environments, source }
  const stored = {
    token_id: tokenId,
    name,
    role,
    agents: listText(agents),
    environments: listText(environments),
    salt,
    hash: await tokenHash(salt, text, grant),
    created_at: now,
    created_by: actor.name,
    expires_at: validMs === null ? null : now + validMs,
    source,
  }
  return { text, grant, actor, stored }
}

/** A token to be written, and what else is. */
interface Writing {
  readonly row: NewRow
  readonly kind: 'token.made' | 'token.rotated'
  /** Tokens that it ends, as they are then. */
  readonly ended: readonly Row[]
  readonly more: (guard: Statement) => readonly Statement[]
}

async function writeToken<R>(
  ledger: Ledger,
  query: Query<R>,
  writingOf: (read: R, clock: Clock) => Promise<Writing>,
): Promise<NewRow> {
  const made = await writeLogged(ledger, query, async (read, clock) => {
    const { row, kind, ended, more } = await writingOf(read, clock)
    const { stored, actor } = row
    const holds = await holdsOf('tokens', [...ended, stored])
    const { source, ...granted } = row.grant
    const details = {
      ...granted,
      ...(source === null ? {} : { source }),
      expires_at: stored.expires_at,
      ...holding(holds),
    }
    return {
      id: stored.token_id,
      revises: 'none',
      entries: [entryOf(kind, stored.token_id, actor, stored.created_at, details)],
      write: guard => [insertRow('tokens', stored, guard), ...more(guard)],
      done: row,
    }
  })
  forgetTokens(ledger.memo.tokens)
  return made
}

function entryOf(
  kind: NewEntry['kind'],
  subject: string,
  actor: Actor,
  created_at: number,
  details: NewEntry['details'],
): NewEntry {
  return { kind, subject, actor, reason: null, created_at, fact: null, details }
}

async function answerOf({ sql: db }: Ledger, { text, stored }: NewRow): Promise<CreatedToken> {
  const found = sql`SELECT tokens.*, ${db.clock} AS now FROM tokens WHERE token_id = ${stored.token_id}`
  return { ...(await ask(db, onlyRow(found, toRecord))), token: text }
}

function listText(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names)
}

const readToken = columns({
  ...GRANT,
  token_id: asText,
  created_at: asTime,
  created_by: asText,
  expires_at: orNull(asNumber),
  revoked_at: orNull(asTime),
  revoked_by: orNull(asText),
  last_used_at: orNull(asTime),
  now: asNumber,
})

/** `row` also has the database's clock as `now`. */
function toRecord(row: Row): TokenRecord {
  const { token_id, name, role, agents, environments, source, now, expires_at, ...rest } = readToken(row)
  const isOver = expires_at !== null && expires_at <= now
  return {
    token_id,
    name,
    role,
    agents,
    environments,
    ...(source === null ? {} : { source }),
    state: rest.revoked_at !== null ? 'revoked' : isOver ? 'expired' : 'live',
    created_at: rest.created_at,
    created_by: rest.created_by,
    expires_at: expires_at === null ? null : isoTime(expires_at),
    revoked_at: rest.revoked_at,
    revoked_by: rest.revoked_by,
    last_used_at: rest.last_used_at,
  }
}
