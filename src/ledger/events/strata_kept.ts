import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import { MOST_STRATA_MS, STRATA_KINDS } from '../../rules/strata.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, onlyRow } from '../../sql/query.ts'
import { readClock } from '../trail/clock.ts'
import type { Ledger, Pace } from '../world/ledger.ts'
import { lockNames, nameStrata } from './strata_names.ts'
import {
  STRATA_KEY,
  STRATA_ROWS,
  STRATA_SOURCES,
  strataSelect,
  strataSums,
  strataTable,
} from './strata_sql.ts'

/** The moment before which nothing is kept by tenant and task, epoch ms, as a scalar subquery. */
const KEPT_FROM = '(SELECT strata_before FROM retention WHERE id = 1)'

/** Whether a bucket, or a time, is of an hour whose sums by tenant and task are kept and hold all of its events. */
export function isSummed(scope: string, bucket: string, widthMs: number): Statement {
  const hour = widthMs === HOUR_MS ? bucket : `${bucket} / ${HOUR_MS / widthMs}`
  return raw(`${bucket} >= ${KEPT_FROM} / ${widthMs}
    AND NOT EXISTS (SELECT 1 FROM strata_due d WHERE d.scope = ${scope} AND d.bucket = ${hour})`)
}

/** An hour of a release in an environment. */
interface Hour {
  readonly scope: number
  readonly bucket: number
}

/** Hours that are summed between two looks at the list. */
const AT_ONCE = 100

/**
 * Sums by tenant and task the hours that are over, by the database's clock, or those of a given part. Each hour is summed
 * anew in one batch, so it doesn't matter how often, or by how many servers.
 */
export async function sumStrata(
  { sql: db }: Pick<Ledger, 'sql'>,
  pace: Pace = batch => batch(),
  part?: { readonly scope: number; readonly from: number; readonly to: number },
): Promise<void> {
  const within =
    part === undefined
      ? sql`bucket < ${db.clock} / ${raw(String(HOUR_MS))}`
      : sql`scope = ${part.scope} AND bucket >= ${part.from} AND bucket < ${part.to}`
  for (;;) {
    const due = sql`SELECT scope, bucket FROM strata_due WHERE ${within} ORDER BY bucket, scope LIMIT ${AT_ONCE}`
    const hours: Hour[] = await ask(db, allRows(due, columns({ scope: asNumber, bucket: asNumber })))
    for (const hour of hours) await pace(() => db.batch(sumHour(db, hour)))
    if (hours.length < AT_ONCE) return
  }
}

/** Who stores an event of the hour meanwhile waits, and makes it due again. */
function sumHour(db: Sql, { scope, bucket }: Hour): Statement[] {
  const [from, to] = [bucket * HOUR_MS, (bucket + 1) * HOUR_MS]
  const rowsIn = (table: string): Statement =>
    sql`${raw(table)} WHERE scope = ${scope} AND ts >= ${from} AND ts < ${to}`
  return [
    sql`DELETE FROM strata_due WHERE scope = ${scope} AND bucket = ${bucket}`,
    ...lockNames(db),
    ...STRATA_KINDS.map(kind => nameStrata(kind, rowsIn('run_events'))),
    ...STRATA_KINDS.flatMap(kind =>
      STRATA_SOURCES.flatMap(of => {
        const table = strataTable(kind, of)
        return [
          sql`DELETE FROM ${raw(table)} WHERE scope = ${scope} AND bucket = ${bucket}`,
          sql`INSERT INTO ${raw(`${table} (${[...STRATA_KEY, ...strataSums(of)].join(', ')})`)}
            ${strataSelect(kind, of, rowsIn(STRATA_ROWS[of]))}`,
        ]
      }),
    ),
  ]
}

/**
 * Drops the sums by tenant and task of days that no comparison takes any more, once a day, by the database's clock: not
 * where that is wrong.
 */
export async function dropOldStrata(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const due = sql`${db.clock} / ${raw(String(DAY_MS))} * ${raw(String(DAY_MS))} - ${raw(String(MOST_STRATA_MS))}`
  const times = onlyRow(
    sql`SELECT strata_before, ${due} AS due FROM retention WHERE id = 1`,
    columns({ strata_before: asNumber, due: asNumber }),
  )
  const { strata_before, due: before } = await ask(db, times)
  if (before <= strata_before) return
  const { apart, doubt } = await readClock(ledger)
  if ((apart ?? doubt) !== undefined) return
  const tables = STRATA_KINDS.flatMap(kind => STRATA_SOURCES.map(of => strataTable(kind, of)))
  await db.batch([
    sql`UPDATE retention SET strata_before = ${before} WHERE id = 1 AND strata_before < ${before}`,
    ...['strata_due', ...tables].map(
      table => sql`DELETE FROM ${raw(table)}
        WHERE scope IN (SELECT id FROM scopes) AND bucket < ${before / HOUR_MS}`,
    ),
  ])
}
