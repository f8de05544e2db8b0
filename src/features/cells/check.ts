import { sha256 } from '../../base/bytes.ts'
import { HOUR_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import { type Check, type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asNumber, asText, ask, columns, firstRow, orNull } from '../../sql/query.ts'
import { cellDays, difference } from './rebuild.ts'
import { SUM_COLUMNS } from './store.ts'

export const CHECKS: readonly Check[] = [
  { name: 'cell_sources', run: checkBehind },
  { name: 'cells', deep: true, run: checkCells },
]

/** Sources are read every few minutes; past this nobody does, or it fails. */
const OVERDUE_MS = 60 * MINUTE_MS

async function checkBehind(db: Sql): Promise<DoctorCheck[]> {
  const late = allRows(
    sql`SELECT s.source, (SELECT max(h.covered_to) FROM cell_hours h WHERE h.source = s.source) AS covered_to, ${db.clock} AS now
      FROM cell_sources s ORDER BY s.source`,
    columns({ source: asText, covered_to: orNull(asNumber), now: asNumber }),
  )
  return (await ask(db, late)).flatMap(({ source, covered_to, now }) =>
    covered_to === null || now - covered_to <= OVERDUE_MS
      ? []
      : [
          {
            name: 'cell_sources',
            ok: true,
            warning: true,
            detail: `the cells of ${source} reach to ${isoTime(covered_to)}; import newer ones, or \`svc cells pull ${source}\``,
          },
        ],
  )
}

/** Cells are what their digests say, roll-ups of their hours what they add up to, and no event is of a day that they feed. */
async function checkCells(db: Sql): Promise<DoctorCheck> {
  const event = firstRow(
    sql`SELECT e.run_id FROM cell_feeds f JOIN run_events e ON e.scope = f.scope AND e.ts >= f.from_day * 86400000 LIMIT 1`,
    columns({ run_id: asText }),
  )
  const found = await ask(db, event)
  if (found !== undefined) return fail('cells', `run ${found.run_id} is of a day that a source feeds`)
  const digested = columns({ source: asText, hour: asNumber, digest: asText })
  let days = 0
  for await (const own of cellDays(db)) {
    days++
    const { scope, day } = own
    const rows = allRows(
      sql`SELECT * FROM cells WHERE scope = ${scope} AND hour >= ${day * 24} AND hour < ${(day + 1) * 24}`,
      row => ({ ...digested(row), text: SUM_COLUMNS.map(name => row[`${name}_json`] ?? null).join('\n') }),
    )
    for (const { source, hour, digest, text } of await ask(db, rows)) {
      if ((await sha256(text)) === digest) continue
      return fail(
        'cells',
        `cells of ${source}, scope ${scope}, hour ${isoTime(hour * HOUR_MS)} are not those of their digest`,
      )
    }
    const text = await difference(db, own)
    if (text !== undefined)
      return fail(
        'cells',
        `${text} of scope ${scope} is not what cells add up to; \`svc rollups rebuild\` sums them again`,
      )
  }
  return pass('cells', `the roll-ups of ${days} days of releases are what the cells of sources add up to`)
}
