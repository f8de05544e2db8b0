import { ServiceError, unprocessable } from '../../base/errors.ts'
import { type Sql, SqlError, type Statement, sql } from '../../sql/port.ts'
import { asJson, asText, ask, columns, firstRow } from '../../sql/query.ts'

/** The caller's Idempotency-Key and a hash of its route and body. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** What an operation gave, and whether it gave that before, to a request of the same key. */
export interface Repeatable<T> {
  readonly result: T
  readonly replayed: boolean
}

/** Statements that keep a result, for the batch that it is the result of; `guard` says whether that batch's guard passed. */
export type KeepResult<T> = (result: T, createdAt: number, guard: Statement) => Statement[]

/**
 * Carries an operation out, or gives the result that its key was given before. Of two at once, one is carried out; the
 * other's batch fails on the key, or it is refused for what the first one has changed, and has the first one's result.
 * Throws 422 where the key came with another request.
 */
export async function repeatable<T>(
  db: Sql,
  key: IdempotencyKey | undefined,
  operate: (keep: KeepResult<T>) => Promise<T>,
): Promise<Repeatable<T>> {
  if (key === undefined) return { result: await operate(() => []), replayed: false }
  const known = await keptResult<T>(db, key)
  if (known !== undefined) return { result: known, replayed: true }
  try {
    return { result: await operate(keeper(key)), replayed: false }
  } catch (error) {
    const kept = mayBeOvertaken(error) ? await keptResult<T>(db, key) : undefined
    if (kept === undefined) throw error
    return { result: kept, replayed: true }
  }
}

function mayBeOvertaken(error: unknown): boolean {
  if (error instanceof ServiceError) return true
  return error instanceof SqlError && (error.kind === 'unique' || error.kind === 'uncertain')
}

async function keptResult<T>(db: Sql, { key, fingerprint }: IdempotencyKey): Promise<T | undefined> {
  const kept = firstRow(
    sql`SELECT fingerprint, body_json FROM idempotency_keys WHERE key = ${key}`,
    columns({ fingerprint: asText, body_json: asJson<T> }),
  )
  const row = await ask(db, kept)
  if (row === undefined) return undefined
  if (row.fingerprint !== fingerprint) {
    throw unprocessable([
      {
        loc: ['header', 'Idempotency-Key'],
        msg: 'was used for another request; use a new key',
        type: 'idempotency_mismatch',
      },
    ])
  }
  return row.body_json
}

function keeper<T>({ key, fingerprint }: IdempotencyKey): KeepResult<T> {
  return function keep(result, createdAt, guard) {
    return [
      sql`INSERT INTO idempotency_keys (key, fingerprint, body_json, created_at)
        SELECT ${key}, ${fingerprint}, ${JSON.stringify(result)},
          CAST(${createdAt} AS BIGINT)
        WHERE ${guard}`,
    ]
  }
}
