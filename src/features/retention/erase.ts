import { DAY_MS } from '../../base/time.ts'
import { lockTables } from '../../sql/dialect.ts'
import { patiently } from '../../sql/deadline.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  ask,
  asText,
  columns,
  field,
  onlyRow,
  orNull,
  insertRow,
} from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { ErasureKey } from '../../ledger/world/memo.ts'
import { partsOf } from '../../ledger/world/ledger.ts'
import { erasedAmong, readErasureKey, runHashes } from '../../ledger/events/erased.ts'
import type { EventSums } from '../../ledger/events/event_sums.ts'
import { sumsOf } from '../../ledger/events/rebuild.ts'
import { addErased, erasedRuns, makeErasureKey, tenantHash } from './hashes.ts'
import { type Ended, type Job, type Manner, carryOut, ownsJob, markGap, runBatch } from './job.ts'
import { REMOVED_AT_ONCE, letWritersEnd, removeEvents } from './remove.ts'

export interface ErasureOptions extends Manner {
  readonly tenant: string
}

export interface Erased {
  readonly erasure_id: string
  readonly events: number
}

/**
 * Removes the run events of a tenant from the ledger, in small batches. Rollups, which name no tenant,
 * stay, and count what was erased: so keyed hashes of its run_ids are kept, and none of them is ever stored again. Whose
 * they were is recorded nowhere but as a keyed hash, by which archived ones are not restored. Ended at any point, the next call for the same tenant goes on.
 *
 * All is hashed before anything is removed: who sends an event again meanwhile finds it stored, or erased.
 */
export async function eraseTenant(ledger: Ledger, options: ErasureOptions): Promise<Erased> {
  const db = patiently(ledger.sql)
  // Spans whose run is not stored yet would make one of the tenant.
  await db.batch([sql`DELETE FROM kept_spans WHERE tenant_id = ${options.tenant}`])
  const key = (await readErasureKey(db)) ?? (await makeErasureKey(ledger))
  const sums = await sumsOf(ledger.features)
  const subject = await tenantHash(key, options.tenant)
  return carryOut(ledger, { kind: 'erase', subject }, options, async job => {
    await eraseAll({ ...options, ledger, db, sums, job, key })
    return erasedBy(ledger, job, subject)
  })
}

async function eraseAll(work: Work): Promise<void> {
  for (const { catchUp } of work.sums) await catchUp({ ...work.ledger, sql: work.db }, work.pace)
  await hashEvents(work)
  await eraseTraces(work)
  const newest = await letWritersEnd(work.db)
  if (await removeHashed(work, newest)) await forgetName(work, newest)
}

interface Work extends ErasureOptions {
  readonly ledger: Ledger
  readonly db: Sql
  readonly sums: readonly EventSums[]
  readonly job: Job
  readonly key: ErasureKey
}

/** Rows that are looked through at a time. */
const PAGE = 5000

const readEvent = columns({
  seq: asNumber,
  run_id: asText,
  scope: asNumber,
  ts: asNumber,
  trace_id: orNull(asText),
})

type TenantEvent = ReturnType<typeof readEvent>

/** Events of a tenant up to the newest one, page by page; up to what is the newest now unless it is given. */
async function* tenantEvents(db: Sql, tenant: string, upTo?: number): AsyncGenerator<TenantEvent[]> {
  const now = onlyRow(sql`SELECT coalesce(max(seq), 0) AS seq FROM run_events`, field('seq', asNumber))
  const newest = upTo ?? (await ask(db, now))
  for (let from = 0; from < newest; from += PAGE) {
    const page = sql`SELECT seq, run_id, scope, ts, trace_id FROM run_events
      WHERE seq > ${from} AND seq <= ${Math.min(from + PAGE, newest)} AND tenant_id = ${tenant} ORDER BY seq`
    const found = await ask(db, allRows(page, readEvent))
    if (found.length > 0) yield found
  }
}

async function hashEvents(work: Work): Promise<void> {
  for await (const rows of tenantEvents(work.db, work.tenant)) {
    await addHashes(
      work,
      rows.map(({ run_id }) => run_id),
    )
  }
}

/** Traces that features erase at a time. */
const TRACES_AT_ONCE = 50_000

/** Before their events go: after an interruption nothing else tells which they are. */
async function eraseTraces({ ledger, db, tenant, pace }: Work): Promise<void> {
  const removals = await partsOf(ledger.features, 'removal')
  let traces = new Set<string>()
  const erase = async (): Promise<void> => {
    for (const removal of traces.size === 0 ? [] : removals) await removal.erase?.(db, traces, pace)
    traces = new Set()
  }
  for await (const rows of tenantEvents(db, tenant)) {
    for (const { trace_id } of rows) if (trace_id !== null) traces.add(trace_id)
    if (traces.size >= TRACES_AT_ONCE) await erase()
  }
  await erase()
}

/** Hashes that go in at a time. */
const HASHED_AT_ONCE = 500

async function addHashes({ db, job, key, pace }: Work, runIds: readonly string[]): Promise<void> {
  for (let from = 0; from < runIds.length; from += HASHED_AT_ONCE) {
    const hashes = await runHashes(key, runIds.slice(from, from + HASHED_AT_ONCE))
    await pace(() => runBatch(db, job, [addErased(hashes, ownsJob(job))]))
  }
}

/** Those that came in since they were hashed stay: a next erasure takes them. Returns whether there were none. */
async function removeHashed(
  { ledger, db, sums, job, key, tenant, pace }: Work,
  newest: number,
): Promise<boolean> {
  let areAll = true
  for await (const rows of tenantEvents(db, tenant, newest)) {
    for (let from = 0; from < rows.length; from += REMOVED_AT_ONCE) {
      const some = rows.slice(from, from + REMOVED_AT_ONCE)
      const hashes = await runHashes(
        key,
        some.map(({ run_id }) => run_id),
      )
      const erased = await erasedAmong(db, { keyId: key.id, hashes })
      const hashed = some.filter((_, index) => erased.has(hashes[index]!))
      const seqs = hashed.map(({ seq }) => seq)
      const before = gapsOf(hashed, job)
      if (seqs.length > 0) await pace(() => removeEvents({ ...ledger, sql: db }, job, { seqs, sums, before }))
      areAll &&= hashed.length === some.length
    }
  }
  return areAll
}

/** Removes the tenant's name from the sums of features, unless events of it came in meanwhile. */
async function forgetName({ db, sums, job, tenant }: Work, newest: number): Promise<void> {
  const none = sql`NOT EXISTS (SELECT 1 FROM run_events WHERE seq > ${newest} AND tenant_id = ${tenant})`
  const guard = sql`${ownsJob(job)} AND ${none}`
  await runBatch(db, job, [
    ...lockTables(db, 'run_events'),
    ...sums.flatMap(each => each.forgetTenant(db, tenant, guard)),
  ])
}

function gapsOf(rows: readonly TenantEvent[], job: Job): Statement[] {
  const days = new Map(
    rows.map(({ scope, ts }) => {
      const day = Math.floor(ts / DAY_MS)
      return [`${scope} ${day}`, markGap({ scope, day }, { done: false, job })]
    }),
  )
  return [...days.values()]
}

/** Records that events were erased: by whom and how many, and whose as a keyed hash alone. */
function erasedBy(ledger: Ledger, { id, actor }: Job, tenant: string): Ended<Erased> {
  return async row => {
    const { events } = row
    // Archives were erased from once; the column stays.
    const record = { erasure_id: id, actor: actor.name, events, archived_events: 0, created_at: ledger.now() }
    const holds = await holdsOf('erasures', [record])
    return {
      details: { events, tenant, ...(await erasedRuns(ledger.sql)), ...holding(holds) },
      statements: guard => [insertRow('erasures', record, guard)],
      result: { erasure_id: id, events },
    }
  }
}
