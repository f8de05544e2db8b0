import { type Row, type Sql, raw, rowsOf, sql } from '../../sql/port.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { trailReport } from '../../ledger/doctor/doctor.ts'
import type { Progress } from '../../ledger/world/ledger.ts'
import type { Column, Table } from './catalog.ts'
import { type Transfer, sameRows } from './transfer.ts'

/** What of a copy was compared and holds, a line each, or what doesn't. */
export interface Verification {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
  readonly rows: number
}

/**
 * Compares two ledgers: the number of rows of each table, of those that grow also sums over every column, of the
 * others every row; then what must hold of the target alone, roll-ups against events and the audit chain.
 */
export async function verifyCopy(
  transfer: Transfer,
  tables: readonly Table[],
  onProgress: Progress = () => {},
): Promise<Verification> {
  const { source, target } = transfer
  const different: string[] = []
  let rows = 0
  for (const [index, table] of tables.entries()) {
    onProgress('compared', index, tables.length)
    const [left, right] = [await digestOf(source, table), await digestOf(target, table)]
    rows += Number(right.n)
    if (left.n !== right.n) different.push(`${table.name} (${left.n} rows, the copy has ${right.n})`)
    else if (JSON.stringify(left) !== JSON.stringify(right)) different.push(`${table.name} (in its rows)`)
    else if (!table.appended && !(await sameRows(transfer, table))) {
      different.push(`${table.name} (in its rows)`)
    }
  }
  const sums = await sumProblem(target)
  return {
    rows,
    checks: [
      {
        name: 'rows',
        ok: different.length === 0,
        detail:
          different.length === 0
            ? `${rows} in ${tables.length} tables, equal to the source's`
            : `different from the source: ${different.join(', ')}`,
      },
      { name: 'rollups', ok: sums === undefined, detail: sums ?? 'they sum up every event' },
      ...(await trailChecks(target)),
    ],
  }
}

/** What doesn't hold of a ledger before it is copied, a line each. A copy would not mend it. */
export async function problemsOf(db: Sql): Promise<string[]> {
  const sums = await sumProblem(db)
  const trail = (await trailChecks(db)).filter(check => !check.ok)
  return [
    ...(sums === undefined ? [] : [`${sums}; repair with \`svc rollups rebuild\``]),
    ...trail.map(({ name, detail }) => `${name}: ${detail}`),
  ]
}

/** The doctor's checks of pointers and audit trail; it recomputes every hash. */
async function trailChecks(db: Sql): Promise<Verification['checks']> {
  const checks = await trailReport(db)
  return checks.filter(({ name, ok }) => name.startsWith('audit_') || !ok)
}

/** Rows and sums of a table. Of numbers a remainder is summed: it can't overflow. */
async function digestOf(db: Sql, table: Table): Promise<Row> {
  const sums = table.appended ? table.columns.flatMap(sumOf) : []
  const [row] = await rowsOf(
    db,
    sql`SELECT ${raw(['count(*) AS n', ...sums].join(', '))} FROM ${raw(table.name)}`,
  )
  return row!
}

function sumOf({ name, type }: Column): string[] {
  if (type === 'real') return []
  const measure = type === 'text' ? `octet_length(${name})` : `${name} % 1000003`
  return [`count(${name}) AS ${name}_count`, `coalesce(sum(${measure}), 0) AS ${name}_sum`]
}

const WIDTHS = [
  ['rollup_minutes', MINUTE_MS],
  ['rollup_hours', HOUR_MS],
] as const

/** Where events are all there. */
async function sumProblem(db: Sql): Promise<string | undefined> {
  const [events, minutes, hours] = await db.snapshot([
    sql`SELECT count(*) AS n FROM run_events e WHERE ${isWhole(sql`e.scope`, sql`e.ts`, 1)}`,
    ...WIDTHS.map(
      ([table, width]) =>
        sql`SELECT coalesce(sum(runs), 0) AS n FROM ${raw(table)} r
          WHERE ${isWhole(sql`r.scope`, sql`r.bucket`, width)}`,
    ),
  ])
  const [n, byMinute, byHour] = [events, minutes, hours].map(result => Number(result!.rows[0]!.n))
  return n === byMinute && n === byHour
    ? undefined
    : `run_events has ${n} rows, but roll-ups count ${byMinute} by minute and ${byHour} by hour`
}
