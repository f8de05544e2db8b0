import { type Sql, sql } from '../../sql/port.ts'
import { removeAll } from '../../sql/query.ts'
import { type Ledger, type Pace, partsOf } from '../../ledger/world/ledger.ts'
import type { Removal } from '../feature.ts'

/** Rows of a batch. */
const BATCH = 500

/** What a feature has of before a moment, or what of that went. */
export interface PrunedPart {
  readonly name: string
  readonly words: (pruned: number) => string
  readonly count: number
}

/** What features have of before a moment, epoch ms, that goes by hand. */
export async function prunableParts(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  before: number,
): Promise<PrunedPart[]> {
  const parts: PrunedPart[] = []
  for (const { name, byHand } of await removals(features)) {
    if (byHand !== undefined)
      parts.push({ name, words: byHand.words, count: await byHand.prunable(db, before) })
  }
  return parts
}

/** Removes that, and says how much of each went. */
export async function pruneParts(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  before: number,
  pace: Pace,
): Promise<PrunedPart[]> {
  const parts: PrunedPart[] = []
  for (const { name, byHand, prune } of await removals(features)) {
    if (byHand !== undefined) parts.push({ name, words: byHand.words, count: await prune(db, before, pace) })
  }
  return parts
}

export function removals(features: Ledger['features']): Promise<readonly Removal[]> {
  return partsOf(features, 'removal')
}

/** Removes deliveries that were delivered or given up before a moment, epoch ms. Those that wait stay. */
export function pruneDeliveries(db: Sql, before: number, pace: Pace): Promise<number> {
  return removeAll(
    db,
    sql`DELETE FROM webhook_deliveries WHERE seq IN (
      SELECT seq FROM webhook_deliveries
      WHERE status <> 'pending' AND coalesce(last_attempt_at, created_at) < ${before} LIMIT ${BATCH})`,
    pace,
  )
}

/** Forgets idempotency keys of before a moment, epoch ms: a request that repeats one is carried out again. */
export function pruneKeys(db: Sql, before: number, pace: Pace): Promise<number> {
  return removeAll(
    db,
    sql`DELETE FROM idempotency_keys WHERE key IN (
      SELECT key FROM idempotency_keys WHERE created_at < ${before} LIMIT ${BATCH})`,
    pace,
  )
}
