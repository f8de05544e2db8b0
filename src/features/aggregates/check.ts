import { sha256 } from '../../base/bytes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type Family, boundedGauges } from '../../ledger/world/tally.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns, firstRow, orNull, together } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { elsewhereOf } from './hours.ts'
import { aggregateDays, difference } from './rebuild.ts'
import { SUM_COLUMNS } from './store.ts'

export const CHECKS: readonly Check[] = [
  { name: 'aggregate_sources', run: checkBehind },
  { name: 'aggregates', deep: true, run: checkAggregates },
]

/** Past this nobody imports, or it fails. */
const OVERDUE_MS = 60 * MINUTE_MS

/** Up to when the aggregates of each source reach, epoch ms, and the database's clock. */
function reached(db: Sql) {
  return allRows(
    sql`SELECT s.source, (SELECT max(h.covered_to) FROM aggregate_hours h WHERE h.source = s.source) AS covered_to, ${db.clock} AS now
      FROM aggregate_sources s ORDER BY s.source`,
    columns({ source: asText, covered_to: orNull(asNumber), now: asNumber }),
  )
}

async function checkBehind(db: Sql): Promise<DoctorCheck[]> {
  return (await ask(db, reached(db))).flatMap(({ source, covered_to, now }) =>
    covered_to === null || now - covered_to <= OVERDUE_MS
      ? []
      : [
          {
            name: 'aggregate_sources',
            ok: true,
            warning: true,
            detail: `the aggregates of ${source} reach to ${isoTime(covered_to)}; import newer ones`,
          },
        ],
  )
}

/** Aggregates are what their digests say, rollups of their hours what they add up to, and no event is of a day that they feed. */
async function checkAggregates(db: Sql, { features }: Pick<Ledger, 'features'>): Promise<DoctorCheck> {
  const event = firstRow(
    sql`SELECT e.run_id FROM aggregate_feeds f JOIN run_events e ON e.scope = f.scope AND e.ts >= f.from_day * 86400000 LIMIT 1`,
    columns({ run_id: asText }),
  )
  const found = await ask(db, event)
  if (found !== undefined)
    return fail('aggregates', `run ${found.run_id} is of a day that a source of aggregates feeds`)
  const { hour: odd, gap } = await ask(db, together({ hour: oddHour(), gap: oddGap() }))
  if (odd !== undefined)
    return fail(
      'aggregates',
      `${odd.source} has other runs in the hour ${isoTime(odd.hour * HOUR_MS)} than its aggregates`,
    )
  if (gap !== undefined)
    return fail(
      'aggregates',
      `scope ${gap.scope}, day ${gap.day}: event_gaps does not have the width of its aggregates`,
    )
  const digested = columns({ source: asText, hour: asNumber, digest: asText })
  const kept = firstRow(
    sql`SELECT segments_before FROM retention WHERE id = 1`,
    columns({ segments_before: asNumber }),
  )
  const segmentBefore = (await ask(db, kept))?.segments_before ?? 0
  const tableOf = (await elsewhereOf({ features }))?.table
  let days = 0
  for await (const own of aggregateDays(db)) {
    days++
    const { scope, day } = own
    const rows = allRows(
      sql`SELECT * FROM aggregates WHERE scope = ${scope} AND hour >= ${day * 24} AND hour < ${(day + 1) * 24}`,
      row => ({
        ...digested(row),
        text: ['width_ms', 'aggregates', 'runs', ...SUM_COLUMNS.map(name => `${name}_json`)]
          .map(name => row[name] ?? null)
          .join('\n'),
      }),
    )
    for (const { source, hour, digest, text } of await ask(db, rows)) {
      if ((await sha256(text)) === digest) continue
      return fail(
        'aggregates',
        `aggregates of ${source}, scope ${scope}, hour ${isoTime(hour * HOUR_MS)} don't match their digest`,
      )
    }
    const text = await difference(db, own, day * DAY_MS < segmentBefore ? undefined : tableOf)
    if (text !== undefined)
      return fail(
        'aggregates',
        `${text} of scope ${scope} differs from the sum of its aggregates; \`svc rollups rebuild\` sums them again`,
      )
  }
  return pass('aggregates', `the rollups of ${days} days of releases equal the sums of their aggregates`)
}

/** An hour that counts other runs than its aggregates, unless these were pruned. */
function oddHour() {
  return firstRow(
    sql`SELECT h.source, h.hour FROM aggregate_hours h
      WHERE h.hour >= (SELECT events_before FROM retention WHERE id = 1) / 3600000 AND h.runs <> coalesce(
        (SELECT sum(c.runs) FROM aggregates c WHERE c.source = h.source AND c.hour = h.hour), 0) LIMIT 1`,
    columns({ source: asText, hour: asNumber }),
  )
}

function oddGap() {
  return firstRow(
    sql`SELECT d.scope, d.day FROM (SELECT scope, hour / 24 AS day, max(width_ms) AS width FROM aggregates GROUP BY 1, 2) AS d
      LEFT JOIN event_gaps g ON g.scope = d.scope AND g.day = d.day AND g.kept_by IS NOT NULL
      WHERE coalesce(g.width_ms, 0) <> d.width LIMIT 1`,
    columns({ scope: asNumber, day: asNumber }),
  )
}

/** How long ago each source was complete, those that are behind most first. */
export async function families({ sql: db }: { readonly sql: Sql }): Promise<readonly Family[]> {
  const sources = (await ask(db, reached(db))).flatMap(({ source, covered_to, now }) =>
    covered_to === null ? [] : [[{ source }, (now - covered_to) / 1000] as const],
  )
  const behind = sources.toSorted(([, a], [, b]) => b - a)
  const help = 'How long ago the aggregates of a source were complete, seconds; at most 20 of them.'
  return boundedGauges('service_aggregates_behind_seconds', help, behind)
}
