import type { ModelValue } from '../../models/all/models.ts'
import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { restOf } from '../../rules/event_rest.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Sql, SqlError, sql } from '../../sql/port.ts'
import { allRows, among, asJson, asNumber, ask, asText, field, onlyRow, write } from '../../sql/query.ts'
import { ingestQuery, toEventRow } from '../../ledger/events/ingest_sql.ts'
import { partRows } from '../../ledger/events/parts.ts'
import { scoreRows } from '../../ledger/events/score_rows.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import { forgetIds, internEvents } from '../../ledger/events/interning.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { erasedAmong, hashForIngest, readErasureKey } from '../../ledger/events/erased.ts'
import type { LogRecord } from '../../ledger/trail/chain.ts'
import { tenantHash } from './hashes.ts'
import { type Job, type Manner, carryOut, ownsJob, noteInJob, writeInJob } from './job.ts'

export type Restored = ModelValue<'Restored'>

export interface Restorable {
  /** Days (UTC) since the epoch. */
  readonly days: readonly number[]
  /** At most 500 events each. */
  readonly batches: AsyncIterable<readonly StoredEvent[]>
}

/** Puts archived events back, but none that was erased, and none of a tenant that was erased since. The rollups count them still, so these are left alone. */
export function restoreEvents(
  ledger: Ledger,
  { days, batches }: Restorable,
  manner: Omit<Manner, 'pace'>,
): Promise<Restored> {
  return carryOut(ledger, { kind: 'restore', subject: '' }, manner, async job => {
    let [seen, erased, gaps] = [0, 0, 0]
    const tenants = await erasedTenants(ledger)
    for await (const all of batches) {
      const events = await leftOf(all, tenants)
      erased += all.length - events.length
      if (events.length > 0) erased += await restoreBatch(ledger, job, events)
      seen += all.length
    }
    const sums = await sumsOf(ledger.features)
    for (const day of days) {
      gaps += await closeGaps(ledger.sql, day)
      for (const { afterRestore } of sums) await afterRestore(ledger.sql, day)
    }
    return async row => {
      const inserted = row.events
      const counts = { inserted, skipped: Math.max(0, seen - inserted), ...(erased === 0 ? {} : { erased }) }
      return { details: counts, result: { ...counts, gaps } }
    }
  })
}

/** When each tenant was erased, epoch ms, by its keyed hash, and the key; undefined where none was. */
async function erasedTenants({ sql: db }: Ledger) {
  const key = await readErasureKey(db)
  if (key === undefined) return undefined
  const entries = allRows(
    sql`SELECT record_json FROM audit_log WHERE kind = 'events.erased' AND kind <> 'decision' ORDER BY log_seq`,
    field('record_json', asJson<LogRecord>),
  )
  const at = (await ask(db, entries)).map(
    ({ details, created_at }) => [String(details.tenant), created_at] as const,
  )
  // One that is under way has no entry yet.
  const underWay = sql`SELECT subject FROM retention_jobs WHERE kind = 'erase'`
  for (const tenant of await ask(db, allRows(underWay, field('subject', asText)))) at.push([tenant, Infinity])
  return { key, at: new Map(at) }
}

/** The events of tenants that were not erased since. */
async function leftOf(
  events: readonly StoredEvent[],
  erased: Awaited<ReturnType<typeof erasedTenants>>,
): Promise<readonly StoredEvent[]> {
  if (erased === undefined || erased.at.size === 0) return events
  const until = new Map<string, number>()
  for (const tenant of new Set(events.map(({ tenant_id }) => tenant_id)))
    until.set(tenant, erased.at.get(await tenantHash(erased.key, tenant)) ?? 0)
  return events.filter(({ tenant_id, timestamp }) => Date.parse(timestamp) >= until.get(tenant_id)!)
}

const MAX_LOOKUPS = 3

/** Returns how many of the events were erased. */
async function restoreBatch(ledger: Ledger, job: Job, events: readonly StoredEvent[]): Promise<number> {
  for (let lookup = 0; lookup < MAX_LOOKUPS; lookup++) {
    const ids = await internEvents(ledger, events)
    const rows = events.map((event, index) =>
      toEventRow(event, restOf(event), ids.scopeAt(index), ids.variantAt(index)),
    )
    const erased = await hashForIngest(
      ledger,
      rows.map(([run_id]) => run_id),
    )
    const query = ingestQuery(ledger.sql, rows, ids, {
      coming: 'back',
      counted: { holds: ownsJob(job), note: count => noteInJob(job, sql`events = events + ${count}`) },
      erased,
      parts: partRows(events, ids.variantOfPart),
      scores: scoreRows(events),
    })
    if ((await writeInJob(ledger.sql, job, query)).inserted !== undefined) {
      return (await erasedAmong(ledger.sql, erased)).size
    }
    forgetIds(ledger.memo)
  }
  throw new SqlError('serialization', 'the ids of releases and models changed while events were stored')
}

/** Closes the gaps of a day whose events are all there again, as the rollups count them. Returns what is left open. */
async function closeGaps(db: Sql, day: number): Promise<number> {
  const closing = [
    sql`DELETE FROM event_gaps WHERE day = ${day} AND (
        SELECT count(*) FROM run_events e WHERE e.scope = event_gaps.scope
          AND e.ts >= ${day * DAY_MS} AND e.ts < ${(day + 1) * DAY_MS}
      ) = (
        SELECT coalesce(sum(h.runs), 0) FROM rollup_hours h WHERE h.scope = event_gaps.scope
          AND h.bucket >= ${(day * DAY_MS) / HOUR_MS} AND h.bucket < ${((day + 1) * DAY_MS) / HOUR_MS}
      )`,
  ]
  const left = onlyRow(sql`SELECT count(*) AS n FROM event_gaps WHERE day = ${day}`, field('n', asNumber))
  return write(db, among(closing, left))
}
