import { badRequest } from '../../base/errors.ts'
import {
  MARK_FINISHED,
  type Row,
  type Sql,
  SqlError,
  type Statement,
  UNFINISHED_VERSION,
  type Value,
  markUnfinished,
  raw,
  sql,
} from '../../sql/port.ts'
import { allRows, asNumber, asRow, ask, field, hasRow, inTurn, onlyRow, together } from '../../sql/query.ts'
import { analyze } from '../../ledger/events/ingest.ts'
import type { Progress } from '../../ledger/world/ledger.ts'
import { rebuildBlocks } from '../../ledger/events/blocks.ts'
import { type Column, type Table, readTables } from './catalog.ts'
import {
  type Key,
  PAGE_LIMITS,
  type PageLimits,
  deleteStatements,
  insertStatements,
  keyOf,
  lastKey,
  nextPage,
  rowAt,
  rowsBetween,
  upTo,
} from './rows.ts'
import { isWhole } from '../../ledger/events/gaps.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/time.ts'
import { trailReport } from '../../ledger/doctor/doctor.ts'
import { MARK_NEWEST } from '../../ledger/events/rollup_sql.ts'

export interface CopyOptions {
  /** The tables of a ledger, parents in any order. */
  readonly tables: readonly string[]
  /** The clock, epoch milliseconds. */
  readonly now: () => number
  /** Called as it gets ahead: with rows of one table after the other, then with tables that were compared. */
  readonly onProgress?: Progress
  readonly limits?: PageLimits
}

export interface Copied extends Verification {
  readonly outcome: 'copied' | 'completed' | 'there already'
}

/**
 * Copies a ledger into a migrated database that is empty or that an earlier, unfinished run has written to. Each batch
 * is in whole or not at all, so after a kill at any point the same call goes on. Until all is verified the target is
 * marked unfinished, and no program takes it for a ledger. Throws 400 where the source is damaged or was written
 * meanwhile, and where the target holds another ledger.
 */
export async function copyLedger(source: Sql, target: Sql, options: CopyOptions): Promise<Copied> {
  const tables = await readTables(source, options.tables)
  const theirs = await readTables(target, options.tables)
  requireSameColumns(tables, theirs)
  const problems = await problemsOf(source)
  if (problems.length > 0) {
    throw badRequest(`The source does not hold: ${problems.join('; ')}. Nothing was copied.`)
  }
  const transfer = { source, target, limits: options.limits ?? PAGE_LIMITS, onRows: () => {} }
  const resuming = await isUnfinished(target)
  if (resuming) await requireSameLedger(transfer, tables)
  else if (await isEmpty(target, tables)) await target.batch([markUnfinished(options.now())])
  else return foundThere(transfer, tables, options)

  const before = await positionOf(source, tables)
  await transferRows({ ...transfer, onRows: await rowCounter(source, tables, options) }, tables, resuming)
  await requireUnmoved(source, tables, before)
  const verified = await verifyCopy(transfer, tables, options.onProgress)
  await requireUnmoved(source, tables, before)
  requireSound(verified)
  await requireSameStill(transfer, tables)
  if (target.dialect === 'sqlite') await rebuildBlocks(target)
  // Whoever reads that it is done may delete the source.
  await target.batch([...continuationStatements(target, theirs), MARK_FINISHED], { durable: true })
  // The copy is whole without it: the first server on it counts the tables as well.
  await analyze(target).catch(() => {})
  return { ...verified, outcome: resuming ? 'completed' : 'copied' }
}

async function transferRows(transfer: Transfer, tables: readonly Table[], resuming: boolean): Promise<void> {
  const others = tables.filter(({ appended }) => !appended)
  // What is gone from the source goes first, children before parents, so that nothing refers to it.
  const quiet = { ...transfer, onRows: () => {} }
  if (resuming) for (const table of others.toReversed()) await matchRows(quiet, table, 'remove')
  for (const table of tables) {
    if (table.appended) await appendRows(transfer, table)
    else await matchRows(transfer, table, 'put')
  }
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

/** A target without the mark of an unfinished copy: this very ledger, copied before, or one that we leave alone. */
async function foundThere(
  transfer: Transfer,
  tables: readonly Table[],
  { onProgress }: CopyOptions,
): Promise<Copied> {
  const [ours, theirs] = [
    await positionOf(transfer.source, tables),
    await positionOf(transfer.target, tables),
  ]
  if (movedTables(ours, theirs).length === 0) {
    const verified = await verifyCopy(transfer, tables, onProgress)
    if (verified.checks.every(check => check.ok)) return { ...verified, outcome: 'there already' }
  }
  throw badRequest('The target holds a ledger that is not a copy of the source; give an empty database.')
}

async function requireUnmoved(
  source: Sql,
  tables: readonly Table[],
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const moved = movedTables(before, await positionOf(source, tables))
  if (moved.length === 0) return
  throw badRequest(writtenMeanwhile(moved.join(', ')))
}

function writtenMeanwhile(tables: string): string {
  return (
    `The source was written while it was copied (${tables}). Stop what writes to it and run the same command again: ` +
    'it copies only what is new.'
  )
}

/** What was changed behind its comparison, such as the state of a delivery, which no position tells of. */
async function requireSameStill(transfer: Transfer, tables: readonly Table[]): Promise<void> {
  const changing = tables.filter(({ name, appended }) => !appended && !name.startsWith('rollup_'))
  for (const table of changing) {
    if (await sameRows(transfer, table)) continue
    throw badRequest(writtenMeanwhile(table.name))
  }
}

function requireSound({ checks }: Verification): void {
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length === 0) return
  const problems = failed.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
  throw badRequest(
    `The copy does not hold: ${problems}. Stop what writes to the source or the target and run the same command ` +
      'again; if it says the same, begin with an empty database.',
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
interface Verification {
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
  readonly rows: number
}

/**
 * Compares two ledgers: the number of rows of each table, of those that grow also sums over every column, of the
 * others every row; then what must hold of the target alone, roll-ups against events and the audit chain.
 */
async function verifyCopy(
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
async function trailChecks(db: Sql): Promise<Verification['checks']> {
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
    : `run_events has ${n} rows, but roll-ups count ${byMinute} by minute and ${byHour} by hour`
}

/** Whether an earlier run began a copy here. */
async function isUnfinished(target: Sql): Promise<boolean> {
  const mark = sql`SELECT version FROM schema_migrations WHERE version = ${UNFINISHED_VERSION}`
  return ask(target, hasRow(mark))
}

/** These have rows from the migrations on, or may: rebuilding roll-ups writes counters of 0. */
const SEEDED = ['audit_head', 'cell_writes', 'counters', 'retention', 'rollout_mark']

async function isEmpty(target: Sql, tables: readonly Table[]): Promise<boolean> {
  for (const { name } of tables.filter(table => !SEEDED.includes(table.name))) {
    if (await ask(target, hasRow(sql`SELECT 1 AS found FROM ${raw(name)} LIMIT 1`))) return false
  }
  return true
}

/** Throws 400 where what an unfinished copy holds is not the beginning of this source. */
async function requireSameLedger({ source, target }: Transfer, tables: readonly Table[]): Promise<void> {
  for (const table of tables.filter(({ appended }) => appended)) {
    for (const key of await keyRange(target, table)) {
      const [theirs, ours] = [await rowAt(target, table, key), await rowAt(source, table, key)]
      if (JSON.stringify(theirs) === JSON.stringify(ours)) continue
      throw badRequest(
        `The target is an unfinished copy of another ledger: its ${table.name} ${table.key[0]} ${key[0]} is not ` +
          "the source's. Finish that copy, or give an empty database.",
      )
    }
  }
}

/** The state of a ledger: a text per table that every write of the ledger moves one of. */
async function positionOf(db: Sql, tables: readonly Table[]): Promise<Map<string, string>> {
  const position = new Map<string, string>()
  for (const table of tables.filter(({ appended }) => appended)) {
    position.set(table.name, JSON.stringify((await keyRange(db, table)).at(-1)))
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

/** Makes a copy take new rows as the source would: behind the numbers that are taken, and behind the roll-ups. */
function continuationStatements(target: Sql, tables: readonly Table[]): Statement[] {
  if (target.dialect === 'sqlite') {
    return [MARK_NEWEST]
  }
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter(column => column.numbered)
      .map(column => {
        const sequence = sql`pg_get_serial_sequence(${name}, ${column.name})`
        return sql`SELECT setval(${sequence}, max(${raw(column.name)})) FROM ${raw(name)}`
      }),
  )
}

/** Two ledgers of the same schema; only `target` is written. */
interface Transfer {
  readonly source: Sql
  readonly target: Sql
  readonly limits: PageLimits
  /** Called with the number of rows that a page had. */
  readonly onRows: (table: Table, count: number) => void
}

/**
 * Adds to the target what it lacks of a table that only grows. Rows go in in order of their keys, so all that is
 * there is the beginning; where it isn't, because a writer of the source committed a lower number after a higher
 * one, every page is compared.
 */
async function appendRows(transfer: Transfer, table: Table): Promise<void> {
  const { source, target, onRows } = transfer
  const there = (await keyRange(target, table)).at(-1)
  let after: Key
  if (there !== undefined) {
    const [has, should] = [await countUpTo(target, table, there), await countUpTo(source, table, there)]
    if (has === should) {
      after = there
      onRows(table, has)
    }
  }
  const isNew = after !== undefined || there === undefined
  for await (const { rows, from, last } of pages(transfer, table, after)) {
    if (rows.length === 0) continue
    const known = isNew ? [] : await rowsBetween(target, table, from, last)
    const keys = new Set(known.map(row => textOf(keyOf(table, row))))
    const missing = rows.filter(row => !keys.has(textOf(keyOf(table, row))))
    await write(target, table, insertStatements(target.dialect, table, missing))
  }
}

/** Makes a table of the target equal to the source's in two passes: rows only it has go, the others are put in. */
async function matchRows(transfer: Transfer, table: Table, pass: 'remove' | 'put'): Promise<void> {
  const { target } = transfer
  for await (const { rows, from, last } of pages(transfer, table, undefined)) {
    const there = await rowsBetween(target, table, from, last)
    const { wanted, extra } = compareRows(table, rows, there)
    const statements =
      pass === 'remove'
        ? deleteStatements(table, extra)
        : insertStatements(target.dialect, table, wanted, { changing: true })
    await write(target, table, statements)
  }
}

/** Whether a table holds the same rows on both sides. */
async function sameRows(transfer: Transfer, table: Table): Promise<boolean> {
  for await (const { rows, from, last } of pages(transfer, table, undefined)) {
    const { wanted, extra } = compareRows(table, rows, await rowsBetween(transfer.target, table, from, last))
    if (wanted.length > 0 || extra.length > 0) return false
  }
  return true
}

/**
 * The source's rows behind a key, page by page; the last page is empty and reaches to the end of the table. Rows that are
 * written behind the last meanwhile are left out: a writer may be as quick as this.
 */
async function* pages(
  { source, limits, onRows }: Transfer,
  table: Table,
  start: Key,
): AsyncGenerator<{ rows: readonly Row[]; from: Key; last: Key }> {
  let from = start
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

/** Rows of the source that the target lacks or has otherwise, and rows that only the target has. */
function compareRows(
  table: Table,
  rows: readonly Row[],
  there: readonly Row[],
): { wanted: Row[]; extra: Row[] } {
  const left = new Map(there.map(row => [textOf(keyOf(table, row)), row]))
  const wanted = rows.filter(row => {
    const key = textOf(keyOf(table, row))
    const same = textOf(left.get(key)) === textOf(row)
    left.delete(key)
    return !same
  })
  return { wanted, extra: [...left.values()] }
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value)
}

async function write(target: Sql, { name }: Table, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return
  await target.batch(statements).catch((error: unknown) => {
    if (!(error instanceof SqlError)) throw error
    const hint =
      error.kind === 'unique'
        ? '; another program writes to it: stop that and run the same command again'
        : ''
    throw new SqlError(error.kind, `${error.message} (table ${name})${hint}`, error)
  })
}

/** The lowest and the highest key of a table whose rows are numbered; none where it has no rows. */
async function keyRange(db: Sql, { name, key: [column] }: Table): Promise<Value[][]> {
  // One by one: SQLite would read the whole table for both.
  const ends = ['min', 'max'].map(end =>
    onlyRow(sql`SELECT ${raw(`${end}(${column})`)} AS value FROM ${raw(name)}`, ({ value }) => value!),
  )
  return (await ask(db, inTurn(ends))).flatMap(value => (value === null ? [] : [[value]]))
}

async function countUpTo(db: Sql, table: Table, last: Key): Promise<number> {
  const rows = sql`SELECT count(*) AS n FROM ${raw(table.name)} WHERE ${upTo(table, last)}`
  return ask(db, onlyRow(rows, field('n', asNumber)))
}
