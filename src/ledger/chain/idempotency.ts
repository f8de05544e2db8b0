import { unprocessable } from '../../base/errors.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'

/** The caller's Idempotency-Key and a hash of what it stands for: route and body. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

/** An answer as it was first given. */
export interface RecordedAnswer {
  readonly status: number
  readonly body: unknown
}

/** The answer recorded for a key, if any. Throws 422 where the key came with another request. */
export async function recordedAnswer(
  db: Sql,
  { key, fingerprint }: IdempotencyKey,
): Promise<RecordedAnswer | undefined> {
  const { rows } = await db.query(
    sql`SELECT fingerprint, status, body_json FROM idempotency_keys WHERE key = ${key}`,
  )
  const [row] = rows
  if (row === undefined) return undefined
  if (row.fingerprint !== fingerprint) {
    throw unprocessable([
      {
        loc: ['header', 'Idempotency-Key'],
        msg: 'was used for another request already; use a new key for a new request',
        type: 'idempotency_mismatch',
      },
    ])
  }
  return { status: Number(row.status), body: JSON.parse(String(row.body_json)) }
}

/** Records an answer in the batch that it answers for; `held` says whether that batch's guard held. */
export function recordAnswer(
  { key, fingerprint }: IdempotencyKey,
  { status, body }: RecordedAnswer,
  createdAt: number,
  held: Statement,
): Statement {
  return sql`INSERT INTO idempotency_keys (key, fingerprint, status, body_json, created_at)
    SELECT ${key}, ${fingerprint}, CAST(${status} AS BIGINT), ${JSON.stringify(body)},
      CAST(${createdAt} AS BIGINT)
    WHERE ${held}`
}
