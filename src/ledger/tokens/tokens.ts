import { ServiceError, badRequest } from '../../base/errors.ts'
import { DAY_MS, isoTime } from '../../base/time.ts'
import { TOKEN_SECRET_DIGITS, tokenText } from '../../base/token_text.ts'
import type { CreatedToken, RevokedToken, TokenRecord } from '../../models/answers/token.ts'
import { type Row, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/row.ts'
import { reviseHead } from '../chain/chain.ts'
import { commitOnce } from '../chain/commit.ts'
import type { Actor, Ledger } from '../ledger.ts'
import { type Grant, forgetTokens } from './cache.ts'
import { toGrant, tokenHash } from './grant.ts'

export interface NewToken extends Grant {
  /** How long it is good for, ms; for ever where it is null. */
  readonly validMs: number | null
  readonly actor: Actor
}

/** Most tokens that may be live at once: all of them are held in memory. */
const MOST_LIVE = 1000

/** Makes a token, which is told this once. Throws 400 where a live one has the name. */
export async function createToken(ledger: Ledger, given: NewToken): Promise<CreatedToken> {
  const made = await newRow(ledger, given, given.validMs, given.actor)
  const live = sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${made.createdAt})`
  const written = await commit(ledger, made, [
    insertStatement(
      made,
      sql`NOT EXISTS (SELECT 1 FROM tokens WHERE name = ${given.name} AND ${live})
        AND (SELECT count(*) FROM tokens WHERE ${live}) < ${MOST_LIVE}`,
    ),
  ])
  if (!written) throw badRequest(await refusedText(ledger, given.name))
  return answerOf(ledger, made)
}

async function refusedText(ledger: Ledger, name: string): Promise<string> {
  const live = (await listTokens(ledger)).filter(token => token.state === 'live')
  if (!live.some(token => token.name === name)) return `There are ${MOST_LIVE} live tokens; revoke some.`
  return `There is a live token ${name}; replace it with \`svc token rotate ${name}\`, or revoke it first.`
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
 * live or expired token has: what was revoked is made anew on purpose.
 */
export async function rotateToken(ledger: Ledger, rotation: Rotation): Promise<CreatedToken> {
  const { name, overlapMs, actor } = rotation
  const [last] = await rowsOf(
    ledger.sql,
    sql`SELECT * FROM tokens WHERE name = ${name} AND revoked_at IS NULL ORDER BY created_at DESC, token_id DESC LIMIT 1`,
  )
  if (last === undefined) throw unknownToken(name)
  const grant = toGrant(last)
  const validMs = rotation.validMs ?? validityOf(last)
  const made = await newRow(ledger, grant, validMs, actor)
  const endsAt = made.createdAt + overlapMs
  const written = await commit(ledger, made, [
    insertStatement(
      made,
      sql`EXISTS (SELECT 1 FROM tokens WHERE token_id = ${String(last.token_id)} AND revoked_at IS NULL)`,
    ),
    sql`UPDATE tokens SET expires_at = ${endsAt}
      WHERE name = ${name} AND token_id <> ${made.tokenId} AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > ${endsAt})
        AND EXISTS (SELECT 1 FROM tokens WHERE token_id = ${made.tokenId})`,
  ])
  if (!written) throw unknownToken(name)
  return answerOf(ledger, made)
}

function validityOf({ created_at, expires_at }: Row): number | null {
  return expires_at === null ? null : Math.max(DAY_MS, Number(expires_at) - Number(created_at))
}

/** Ends all tokens of a name at once. Throws 404 where none is live. */
export async function revokeToken(ledger: Ledger, name: string, actor: Actor): Promise<RevokedToken> {
  const at = ledger.now()
  const change = ledger.newId('rvk_')
  const revoked = await commitOnce(
    ledger,
    [
      reviseHead(change),
      sql`UPDATE tokens SET revoked_at = ${at}, revoked_by = ${actor.name}
        WHERE name = ${name} AND revoked_at IS NULL RETURNING token_id`,
    ],
    results => (results[1]!.rows.length === 0 ? undefined : results[1]!.rows.length),
    async () => {
      const again = sql`SELECT token_id FROM tokens WHERE name = ${name} AND revoked_at = ${at} AND revoked_by = ${actor.name}`
      return (await rowsOf(ledger.sql, again)).length || undefined
    },
  )
  forgetTokens(ledger.memo.tokens)
  if (revoked === undefined) throw unknownToken(name)
  ledger.log('info', 'token revoked', { token: name, actor: actor.name })
  return { name, revoked }
}

/** All tokens, also those that are over, oldest first; never what they are. */
export async function listTokens({ sql: db, now }: Pick<Ledger, 'sql' | 'now'>): Promise<TokenRecord[]> {
  const rows = await rowsOf(db, sql`SELECT * FROM tokens ORDER BY created_at, token_id`)
  return rows.map(row => toRecord(row, now()))
}

function unknownToken(name: string): ServiceError {
  return new ServiceError(404, `Unknown token: ${name}`)
}

interface NewRow {
  readonly tokenId: string
  readonly text: string
  readonly grant: Grant
  readonly salt: string
  readonly hash: string
  readonly createdAt: number
  readonly createdBy: string
  readonly expiresAt: number | null
}

async function newRow(
  { newId, now }: Pick<Ledger, 'newId' | 'now'>,
  { name, role, agents, environments }: Grant,
  validMs: number | null,
  actor: Actor,
): Promise<NewRow> {
  const tokenId = newId('tok_')
  const digits = Array.from({ length: 4 }, () => newId('')).join('')
  const text = tokenText(tokenId.slice(4), digits.slice(0, TOKEN_SECRET_DIGITS))
  const salt = newId('') + newId('')
  const grant = { name, role, agents, environments }
  const createdAt = now()
  const expiresAt = validMs === null ? null : createdAt + validMs
  const hash = await tokenHash(salt, text, grant)
  return { tokenId, text, grant, salt, hash, createdAt, createdBy: actor.name, expiresAt }
}

function insertStatement({ tokenId, grant, ...row }: NewRow, guard: Statement): Statement {
  return sql`INSERT INTO tokens (token_id, name, role, agents, environments, salt, hash, created_at, created_by, expires_at)
    SELECT ${tokenId}, ${grant.name}, ${grant.role}, CAST(${listText(grant.agents)} AS TEXT),
      CAST(${listText(grant.environments)} AS TEXT), ${row.salt}, ${row.hash}, CAST(${row.createdAt} AS BIGINT),
      ${row.createdBy}, CAST(${row.expiresAt} AS BIGINT)
    WHERE ${guard} RETURNING token_id`
}

/** The head is taken first, so that of two of one name made at once the second sees the first. */
async function commit(ledger: Ledger, { tokenId, grant }: NewRow, statements: Statement[]): Promise<boolean> {
  const made = sql`SELECT token_id FROM tokens WHERE token_id = ${tokenId}`
  const row = await commitOnce(
    ledger,
    [reviseHead(tokenId), ...statements],
    results => results[1]!.rows[0],
    async () => (await rowsOf(ledger.sql, made))[0],
  )
  forgetTokens(ledger.memo.tokens)
  if (row !== undefined) ledger.log('info', 'token made', { token: grant.name, role: grant.role })
  return row !== undefined
}

async function answerOf({ sql: db, now }: Ledger, { tokenId, text }: NewRow): Promise<CreatedToken> {
  const [row] = await rowsOf(db, sql`SELECT * FROM tokens WHERE token_id = ${tokenId}`)
  return { ...toRecord(row!, now()), token: text }
}

function listText(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names)
}

function toRecord(row: Row, now: number): TokenRecord {
  const { agents, environments, ...named } = toGrant(row)
  const time = (column: string): string | null => nullable(row[column], at => isoTime(Number(at)))
  const isOver = row.expires_at != null && Number(row.expires_at) <= now
  return {
    token_id: String(row.token_id),
    ...named,
    agents: agents === null ? null : [...agents],
    environments: environments === null ? null : [...environments],
    state: row.revoked_at != null ? 'revoked' : isOver ? 'expired' : 'live',
    created_at: isoTime(Number(row.created_at)),
    created_by: String(row.created_by),
    expires_at: time('expires_at'),
    revoked_at: time('revoked_at'),
    revoked_by: nullable(row.revoked_by, String),
    last_used_at: time('last_used_at'),
  }
}
