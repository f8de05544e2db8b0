import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { type Ledger, type Pace, partsOf } from '../../ledger/world/ledger.ts'
import type { Removal } from '../feature.ts'

/** Rows of a batch. */
const BATCH = 500

/** What a feature has of before a moment, or what of that went. */
export interface PrunedPart extends Pick<Removal, 'name' | 'words'> {
  readonly count: number
}

/** What features have of before a moment, epoch ms. */
export async function prunableParts(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  before: number,
): Promise<PrunedPart[]> {
  const parts: PrunedPart[] = []
  for (const part of await removals(features)) parts.push({ ...part, count: await part.prunable(db, before) })
  return parts
}

/** Removes that, and says how much of each went. */
export async function pruneParts(
  { sql: db, features }: Pick<Ledger, 'sql' | 'features'>,
  before: number,
  pace: Pace,
): Promise<PrunedPart[]> {
  const parts: PrunedPart[] = []
  for (const part of await removals(features)) {
    parts.push({ ...part, count: await part.prune(db, before, pace) })
  }
  return parts
}

export function removals(features: Ledger['features']): Promise<readonly Removal[]> {
  return partsOf<Removal>(features, 'removal')
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

/** Forgets what watches that ended before a moment, epoch ms, saw look by look. The watches themselves stay. */
export function pruneLooks(db: Sql, before: number, pace: Pace): Promise<number> {
  return removeAll(
    db,
    sql`DELETE FROM watch_looks WHERE watch_id IN (
      SELECT w.watch_id FROM watches w WHERE w.ended_at < ${before}
        AND EXISTS (SELECT 1 FROM watch_looks l WHERE l.watch_id = w.watch_id) LIMIT 5)`,
    pace,
  )
}

async function removeAll(db: Sql, batch: Statement, pace: Pace): Promise<number> {
  for (let removed = 0; ;) {
    const [result] = await pace(() => db.batch([batch]))
    if (result!.changes === 0) return removed
    removed += result!.changes
  }
}
