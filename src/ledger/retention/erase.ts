import { DAY_MS } from '../../base/time.ts'
import { type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { holding, holdsOf } from '../chain/bound_rows.ts'
import { writeLogged } from '../chain/write_logged.ts'
import type { Ledger } from '../ledger.ts'
import { openGap } from './gaps.ts'
import type { Pace } from './prune.ts'

/** Rows that are looked through at a time. */
const PAGE = 5000
/** Rows of a batch. */
const BATCH = 200

/**
 * Removes the run events of a tenant, in small batches. Roll-ups, which name no tenant, stay. Whose they were is
 * recorded nowhere. Ended at any point, the next call goes on.
 */
export async function eraseTenant(db: Sql, tenant: string, pace: Pace): Promise<number> {
  let events = 0
  // Spans whose run is not stored yet would make one of the tenant.
  await pace(() => db.batch([sql`DELETE FROM kept_spans WHERE tenant_id = ${tenant}`]))
  const [row] = await rowsOf(db, sql`SELECT coalesce(max(seq), 0) AS last FROM run_events`)
  for (let from = 0; from < Number(row!.last); from += PAGE) {
    const found = await rowsOf(
      db,
      sql`SELECT seq, scope, ts FROM run_events
        WHERE seq > ${from} AND seq <= ${from + PAGE} AND tenant_id = ${tenant} ORDER BY seq`,
    )
    for (let start = 0; start < found.length; start += BATCH) {
      const some = found.slice(start, start + BATCH)
      const seqs = some.map(({ seq }) => Number(seq))
      await pace(() => db.batch([...gapsOf(some), ...removals(db.dialect, seqs)]))
      events += some.length
    }
  }
  return events
}

function gapsOf(rows: readonly Readonly<Record<string, unknown>>[]): Statement[] {
  const days = new Map(
    rows.map(({ scope, ts }) => {
      const day = Math.floor(Number(ts) / DAY_MS)
      return [`${String(scope)} ${day}`, openGap(Number(scope), day)]
    }),
  )
  return [...days.values()]
}

function removals(dialect: Sql['dialect'], seqs: readonly number[]): Statement[] {
  const json = JSON.stringify(seqs)
  const given =
    dialect === 'postgres'
      ? sql`SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS given(value)`
      : sql`SELECT value FROM json_each(${json})`
  return [
    sql`DELETE FROM run_parts WHERE event IN (${given})`,
    sql`DELETE FROM run_scores WHERE event IN (${given})`,
    sql`DELETE FROM run_events WHERE seq IN (${given})`,
  ]
}

/** Records that events were erased: by whom and how many, in the ledger and in archives; never whose. */
export async function recordErasure(
  ledger: Ledger,
  { actor, events, archived_events }: { actor: string; events: number; archived_events: number },
): Promise<string> {
  const id = ledger.newId('era_')
  const recorded = sql`SELECT erasure_id FROM erasures WHERE erasure_id = ${id}`
  const created_at = ledger.now()
  const row = { erasure_id: id, actor, events, archived_events, created_at }
  const holds = await holdsOf('erasures', [row])
  await writeLogged(ledger, [], () => ({
    id,
    revises: false,
    entries: [
      {
        kind: 'events.erased',
        subject: id,
        actor: { name: actor, source: 'cli' },
        reason: null,
        created_at,
        fact: null,
        details: { events, archived_events, ...holding(holds) },
      },
    ],
    statements: guard => [
      sql`INSERT INTO erasures (erasure_id, actor, events, archived_events, created_at)
        SELECT ${id}, ${actor}, CAST(${events} AS BIGINT), CAST(${archived_events} AS BIGINT),
          CAST(${created_at} AS BIGINT)
        WHERE ${guard} RETURNING erasure_id`,
    ],
    read: ([inserted]) => inserted!.rows[0],
    recorded: async () => (await rowsOf(ledger.sql, recorded))[0],
  }))
  return id
}
