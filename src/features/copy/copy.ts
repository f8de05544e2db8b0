import { badRequest } from '../../base/errors.ts'
import {
  MARK_FINISHED,
  type Row,
  type Sql,
  SqlError,
  type Statement,
  markUnfinished,
  raw,
  sql,
} from '../../sql/port.ts'
import { allRows, asNumber, asRow, ask, field, hasRow, inTurn, onlyRow, together } from '../../sql/query.ts'
import { analyze } from '../../sql/server.ts'
import type { Progress } from '../../ledger/world/ledger.ts'
import { rebuildBlocks } from '../../ledger/events/blocks.ts'
import { type Column, type Table, readTables } from './catalog.ts'
import {
  type Key,
  PAGE_LIMITS,
  type PageLimits,
  continuationStatements,
  insertStatements,
  lastKey,
  nextPage,
  rowsBetween,
} from './rows.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { trailReport } from '../../ledger/doctor/doctor.ts'

export interface CopyOptions {
  /** The tables of a ledger, parents in any order. */
  readonly tables: readonly string[]
  /** The clock, epoch milliseconds. */
  readonly now: () => number
  /** Called as it gets ahead: with rows of one table after the other, then with tables that were compared. */
  readonly onProgress?: Progress
  readonly limits?: PageLimits
}

/**
 * Copies a ledger that nobody writes into a migrated database that is empty. Until all is verified the target is marked
 * unfinished, and no program takes it for a ledger. Throws 400 where the source is damaged or was written meanwhile, and
 * where the target has rows.
 */
export async function copyLedger(source: Sql, target: Sql, options: CopyOptions): Promise<Copied> {
  const tables = await readTables(source, options.tables)
  const theirs = await readTables(target, options.tables)
  requireSameColumns(tables, theirs)
  const problems = await problemsOf(source)
  if (problems.length > 0) {
    throw badRequest(`The source fails its checks: ${problems.join('; ')}. Nothing was copied.`)
  }
  if (!(await isEmpty(target, tables)))
    throw badRequest('The target has rows already; give an empty database.')
  await target.batch([markUnfinished(options.now())])
  const before = await positionOf(source, tables)
  const onRows = await rowCounter(source, tables, options)
  const transfer = { source, target, limits: options.limits ?? PAGE_LIMITS, onRows }
  for (const table of tables) await copyRows(transfer, table)
  await requireUnmoved(source, tables, before)
  const copied = await verifyCopy({ ...transfer, onRows: () => {} }, tables, options.onProgress)
  await requireUnmoved(source, tables, before)
  requireSound(copied)
  await rebuildBlocks(target)
  // Whoever reads that it is done may delete the source.
  await target.batch([...continuationStatements(target, theirs), MARK_FINISHED], { durable: true })
  // The copy is whole without it: the first server on it counts the tables as well.
  await analyze(target).catch(() => {})
  return copied
}

function requireSameColumns(tables: readonly Table[], theirs: readonly Table[]): void {
  const shapes = new Map(theirs.map(table => [table.name, shapeOf(table)]))
  for (const table of tables) {
    if (shapes.get(table.name) === shapeOf(table)) continue
    throw badRequest(`The table ${table.name} has other columns in the target than in the source.`)
  }
}

function shapeOf({ columns }: Table): string {
  return columns
    .map(({ name, type }) => `${name} ${type}`)
    .sort()
    .join(', ')
}

async function requireUnmoved(
  source: Sql,
  tables: readonly Table[],
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const moved = movedTables(before, await positionOf(source, tables))
  if (moved.length === 0) return
  throw badRequest(
    `The source changed during the copy (${moved.join(', ')}). Stop all programs that write to it, and copy it into an empty database.`,
  )
}

function requireSound({ checks }: Copied): void {
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length === 0) return
  const problems = failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
  throw badRequest(
    `The copy fails its checks: ${problems}. Stop all programs that write to the source and the target, and copy it into an empty database.`,
  )
}

async function rowCounter(
  source: Sql,
  tables: readonly Table[],
  { onProgress }: CopyOptions,
): Promise<Transfer['onRows']> {
  if (onProgress === undefined) return () => {}
  const totals = new Map<Table, number>()
  for (const table of tables) {
    const rows = sql`SELECT count(*) AS n FROM ${raw(table.name)}`
    totals.set(table, await ask(source, onlyRow(rows, field('n', asNumber))))
  }
  const done = new Map<Table, number>()
  return function countRows(table, count) {
    done.set(table, (done.get(table) ?? 0) + count)
    onProgress(`copied ${table.name}`, done.get(table)!, totals.get(table)!)
  }
}

/** What of a copy was compared and holds, a line each, or what doesn't. */
export interface Copied {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
  readonly rows: number
}

/**
 * Compares two ledgers: the number of rows of each table, of those that grow also sums over every column, of the
 * others every row; then what must hold of the target alone, rollups against events and the audit chain.
 */
async function verifyCopy(
  transfer: Transfer,
  tables: readonly Table[],
  onProgress: Progress = () => {},
): Promise<Copied> {
  const { source, target } = transfer
  const different: string[] = []
  let rows = 0
  for (const [index, table] of tables.entries()) {
    onProgress('compared', index, tables.length)
    const [left, right] = [await digestOf(source, table), await digestOf(target, table)]
    rows += asNumber(right.n)
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
async function problemsOf(db: Sql): Promise<string[]> {
  const sums = await sumProblem(db)
  const trail = (await trailChecks(db)).filter(check => !check.ok)
  return [
    ...(sums === undefined ? [] : [`${sums}; repair with \`svc rollups rebuild\``]),
    ...trail.map(({ name, detail }) => `${name}: ${detail}`),
  ]
}

/** The doctor's checks of pointers and audit trail; it recomputes every hash. */
async function trailChecks(db: Sql): Promise<Copied['checks']> {
  const checks = await trailReport(db)
  return checks.filter(({ name, ok }) => name.startsWith('audit_') || !ok)
}

/** Rows and sums of a table. Of numbers a remainder is summed: it can't overflow. */
async function digestOf(db: Sql, table: Table): Promise<Row> {
  const sums = table.appended ? table.columns.flatMap(sumOf) : []
  const digest = sql`SELECT ${raw(['count(*) AS n', ...sums].join(', '))} FROM ${raw(table.name)}`
  return ask(db, onlyRow(digest, asRow))
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
  const count = field('n', asNumber)
  const events = sql`SELECT count(*) AS n FROM run_events e WHERE ${isWhole(sql`e.scope`, sql`e.ts`, 1)}`
  const sums = WIDTHS.map(([table, width]) =>
    onlyRow(
      sql`SELECT coalesce(sum(runs), 0) AS n FROM ${raw(table)} r
        WHERE ${isWhole(sql`r.scope`, sql`r.bucket`, width)}`,
      count,
    ),
  )
  const { n, counted } = await ask(db, together({ n: onlyRow(events, count), counted: inTurn(sums) }))
  const [byMinute, byHour] = counted
  return n === byMinute && n === byHour
    ? undefined
    : `run_events has ${n} rows, but rollups count ${byMinute} by minute and ${byHour} by hour`
}

/** These have rows from the migrations on, or may: rebuilding rollups writes counters of 0. */
const SEEDED = ['audit_head', 'aggregate_writes', 'counters', 'retention', 'rollout_mark']

async function isEmpty(target: Sql, tables: readonly Table[]): Promise<boolean> {
  for (const { name } of tables.filter(table => !SEEDED.includes(table.name))) {
    if (await ask(target, hasRow(sql`SELECT 1 AS found FROM ${raw(name)} LIMIT 1`))) return false
  }
  return true
}

/** The state of a ledger: a text per table that every write of the ledger moves one of. */
async function positionOf(db: Sql, tables: readonly Table[]): Promise<Map<string, string>> {
  const position = new Map<string, string>()
  for (const table of tables.filter(({ appended }) => appended)) {
    position.set(table.name, JSON.stringify(await lastKey(db, table)))
  }
  const { head, counters } = await ask(
    db,
    together({
      head: allRows(sql`SELECT seq, hash, revision, log_seq FROM audit_head`, asRow),
      counters: allRows(
        sql`SELECT name, sum(value) AS value FROM counters GROUP BY name ORDER BY name`,
        asRow,
      ),
    }),
  )
  position.set('audit_head', JSON.stringify(head))
  position.set('counters', JSON.stringify(counters))
  return position
}

/** The tables by which two positions differ. */
function movedTables(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...before.keys()].filter(name => before.get(name) !== after.get(name))
}

/** Two ledgers of the same schema; only `target` is written. */
interface Transfer {
  readonly source: Sql
  readonly target: Sql
  readonly limits: PageLimits
  /** Called with the number of rows that a page had. */
  readonly onRows: (table: Table, count: number) => void
}

/** Migrations write some rows of tables that change: those become the source's. */
async function copyRows(transfer: Transfer, table: Table): Promise<void> {
  const { target } = transfer
  for await (const { rows } of pages(transfer, table)) {
    await write(target, table, insertStatements(target, table, rows, { changing: !table.appended }))
  }
}

/** Whether a table holds the same rows on both sides. */
async function sameRows(transfer: Transfer, table: Table): Promise<boolean> {
  for await (const { rows, from, last } of pages(transfer, table)) {
    if (textOf(rows) !== textOf(await rowsBetween(transfer.target, table, from, last))) return false
  }
  return true
}

/**
 * The source's rows, page by page; the last page is empty and reaches to the end of the table. Rows that are
 * written behind the last meanwhile are left out: a writer may be as quick as this.
 */
async function* pages(
  { source, limits, onRows }: Transfer,
  table: Table,
): AsyncGenerator<{ rows: readonly Row[]; from: Key; last: Key }> {
  let from: Key
  const end = await lastKey(source, table)
  if (end === undefined) {
    yield { rows: [], from, last: undefined }
    return
  }
  for (;;) {
    const page = await nextPage(source, table, { after: from, end, limits })
    if (page === undefined) break
    yield { ...page, from }
    onRows(table, page.rows.length)
    from = page.last
  }
  yield { rows: [], from, last: undefined }
}

function textOf(value: unknown): string {
  return JSON.stringify(value)
}

async function write(target: Sql, { name }: Table, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return
  await target.batch(statements).catch((error: unknown) => {
    if (!(error instanceof SqlError)) throw error
    const hint = error.kind === 'unique' ? '; another program writes to it' : ''
    throw new SqlError(error.kind, `${error.message} (table ${name})${hint}`, error)
  })
}
