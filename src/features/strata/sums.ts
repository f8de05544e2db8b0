import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { EventSums, Rollup, SumsByName } from '../../ledger/events/event_sums.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import { nearlyEqual, rebuiltSlice } from '../../ledger/events/rebuild.ts'
import { readClock } from '../../ledger/trail/clock.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, onlyRow } from '../../sql/query.ts'
import { forgetTenant, idsOfNames, nameStored, nameStrata, namedTenant } from './names.ts'
import { MOST_STRATA_MS, STRATA_KINDS, REST, type StrataKind } from './rules_strata.ts'
import {
  EVENT_OF,
  KEPT_FROM,
  STRATA_KEY,
  STRATA_ROWS,
  STRATA_SOURCES,
  listedSeqs,
  strataSelect,
  strataSums,
  strataTable,
} from './tables.ts'
import { listStored, sumRemoved, sumUnsummed } from './unsummed.ts'
import { IN_SCOPE, scopeCte } from '../../ledger/events/rollups.ts'

const ALL_LISTS = raw('SELECT seqs FROM strata_unsummed')

const ROLLUPS: readonly Rollup[] = STRATA_KINDS.flatMap(kind =>
  STRATA_SOURCES.map((of): Rollup => ({
    key: STRATA_KEY,
    same: nearlyEqual,
    table: strataTable(kind, of),
    widthMs: HOUR_MS,
    from: STRATA_ROWS[of],
    columns: strataSums(of),
    select: (_dialect, _widthMs, source) => strataSelect(kind, of, source),
    only: dialect => ({
      rows: sql`ts >= ${KEPT_FROM}
        AND ${raw(EVENT_OF[of])} NOT IN (SELECT listed.value FROM ${listedSeqs(dialect, ALL_LISTS)})`,
      buckets: sql`bucket >= ${KEPT_FROM} / ${raw(String(HOUR_MS))}`,
    }),
  })),
)

/** Sums of runs by tenant and task, by the hour. */
export const sums: EventSums = {
  onStored: listStored,
  afterStored: nameStored,
  rollups: ROLLUPS,
  beforeRebuild: async db => {
    await db.batch(nameStrata(db, raw('run_events')))
  },
  catchUp: sumUnsummed,
  onRemoval: sumRemoved,
  afterRestore: restored,
  byName,
  elsewhere: { table: strataTable, idsOf: idsOfNames },
  namesTenant: namedTenant,
  forgetTenant,
}

/**
 * The names of tenants may have been emptied while events were away, so the hours of days that are whole again are summed
 * from their events.
 */
async function restored(db: Sql, day: number): Promise<void> {
  const [from, to] = [(day * DAY_MS) / HOUR_MS, ((day + 1) * DAY_MS) / HOUR_MS]
  const hours = allRows(
    sql`SELECT DISTINCT h.scope, h.bucket FROM rollup_hours h
      WHERE h.bucket >= ${from} AND h.bucket < ${to} AND ${isWhole(sql`h.scope`, sql`h.bucket`, HOUR_MS)}
      ORDER BY h.scope, h.bucket`,
    columns({ scope: asNumber, bucket: asNumber }),
  )
  for (const { scope, bucket } of await ask(db, hours)) {
    const start = bucket * HOUR_MS
    const slice = { scope, from: start, to: start + HOUR_MS }
    const events = sql`run_events WHERE scope = ${scope} AND ts >= ${slice.from} AND ts < ${slice.to}`
    await db.batch([...nameStrata(db, events), ...rebuiltSlice(db, ROLLUPS, slice)])
  }
}

/** What a ledger needs once a minute. */
export async function upkeep(ledger: Ledger, pace: Pace): Promise<void> {
  await dropOld(ledger)
  await sumUnsummed(ledger, pace)
}

/** Drops sums that no comparison takes any more, once a day, by the database's clock: not where that is wrong. */
async function dropOld(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const due = sql`${db.clock} / ${raw(String(DAY_MS))} * ${raw(String(DAY_MS))} - ${raw(String(MOST_STRATA_MS))}`
  const kept = onlyRow(
    sql`SELECT strata_before, ${due} AS due FROM retention WHERE id = 1`,
    columns({ strata_before: asNumber, due: asNumber }),
  )
  const { strata_before, due: before } = await ask(db, kept)
  if (before <= strata_before) return
  const { apart, doubt } = await readClock(ledger)
  if ((apart ?? doubt) !== undefined) return
  const tables = STRATA_KINDS.flatMap(kind => STRATA_SOURCES.map(of => strataTable(kind, of)))
  await db.batch([
    sql`UPDATE retention SET strata_before = ${before} WHERE id = 1 AND strata_before < ${before}`,
    ...tables.map(
      table => sql`DELETE FROM ${raw(table)}
        WHERE scope IN (SELECT id FROM scopes) AND bucket < ${before / HOUR_MS}`,
    ),
  ])
}

/** The sums of tenants or tasks by their names. An erased tenant has none, and no rows either. */
function byName(what: string): SumsByName | undefined {
  const kind = STRATA_KINDS.find(each => each === what)
  return kind && namedSums(kind)
}

function namedSums(kind: StrataKind): SumsByName {
  const table = raw(strataTable(kind, 'runs'))
  return {
    lackingHours: (releaseId, environment, { from, to }) => {
      const within = raw(`bucket >= ${from} AND bucket < ${to}`)
      return sql`WITH ${scopeCte(releaseId, environment)}
        SELECT h.bucket FROM (
          SELECT bucket, sum(runs) AS runs FROM rollup_hours WHERE ${IN_SCOPE} AND ${within} GROUP BY bucket) AS h
        LEFT JOIN (
          SELECT bucket, sum(runs) AS runs, min(stratum) AS least FROM ${table}
          WHERE ${IN_SCOPE} AND ${within} GROUP BY bucket) AS s ON s.bucket = h.bucket
        WHERE s.runs IS NULL OR s.runs <> h.runs OR s.least = ${REST}
        ORDER BY h.bucket`
    },
    rows: ({ from, to }) => sql`(SELECT t.name, u.variant, ${raw(
      strataSums('runs')
        .map(column => `u.${column}`)
        .join(', '),
    )}
      FROM ${table} u JOIN strata t ON t.id = u.stratum
      WHERE u.${IN_SCOPE} AND u.bucket >= ${from} AND u.bucket < ${to} AND t.name IS NOT NULL)`,
  }
}
