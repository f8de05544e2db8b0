import { isoTime } from '../../base/time.ts'
import { FACT_OF } from '../../models/names.ts'
import { type Row, type Sql, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  field,
  firstRow,
  inTurn,
  onlyRow,
  together,
} from '../../sql/query.ts'
import { BOUND_NAMES, type Holds, boundPages } from '../trail/bound_rows.ts'
import { HEAD, type LogEnd, type LogRecord, latestOf } from '../trail/chain.ts'
import {
  FACTS,
  FACT_NAMES,
  type FactName,
  LAST_FACTS,
  factPages,
  isFact,
  newestBytes,
} from '../trail/facts.ts'
import { sha256 } from '../../base/bytes.ts'
import type { Progress } from '../world/ledger.ts'
import { beginning, leftOut } from './chain.ts'
import { type DoctorCheck, fail, pass } from './check.ts'

const PAGE = 500

/** Texts of rows that a check reads which is not deep, in bytes: a hundred price tables may have a hundred times as many. */
const MOST_BYTES = 2 * 1024 * 1024

/**
 * Recomputes every hash of the audit log, and goes through the tables that it covers: each row has its entry,
 * each entry its row, in the same order and with the same hash. Names the first that doesn't hold. Where the check is
 * not deep it begins with the newest entries, and compares the rows of as many of them as are not too long together.
 */
export async function checkLog(db: Sql, deep: boolean, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'audit_log'
  const { head, there, beyond } = await ask(
    db,
    together({ head: HEAD, there: LAST_FACTS, beyond: LAST_ENTRY }),
  )
  const { log, covered, latest_at } = head
  if (beyond > log.seq)
    return fail(name, `the log ends with log_seq ${beyond}, its head has ${log.seq} or another hash`)
  const from = beginning(log.seq, deep)
  const before = await ask(
    db,
    firstRow(sql`SELECT hash FROM audit_log WHERE log_seq = ${from}`, field('hash', asText)),
  )
  if (from > 0 && before === undefined) return fail(name, `log_seq ${from} is missing`)
  const check = new LogCheck(db, there, { seq: from, hash: before ?? '' })
  for (let seq = from; seq < log.seq;) {
    const page = sql`SELECT log_seq, kind, record_json, hash FROM audit_log
      WHERE log_seq > ${seq} AND log_seq <= ${log.seq} ORDER BY log_seq LIMIT ${PAGE}`
    const rows: StoredEntry[] = await ask(db, allRows(page, readEntry))
    if (rows.length === 0) break
    if (!deep) await check.leaveOut(rows)
    for (const row of rows) {
      const problem = await check.problemOf(row)
      if (problem !== undefined) return fail(name, `log_seq ${row.log_seq}: ${problem}`)
      seq = row.log_seq
    }
    onProgress?.('audit log', seq, log.seq)
  }
  const problem =
    check.endProblem(log.seq, log.hash) ??
    missingEntry(check.passed, covered, there) ??
    (from === 0 && latest_at > check.latest
      ? `its latest entry has the time ${isoTime(check.latest)}, its head ${isoTime(latest_at)}`
      : undefined)
  if (problem !== undefined) return fail(name, problem)
  // The next change puts it right.
  const lags = from === 0 && latest_at < check.latest
  return {
    name,
    ok: true,
    detail:
      `${log.seq - from} entries verified${leftOut(from)}` +
      `${check.leftOutRows()}${lags ? '; the last were written by a program that notes no latest time' : ''}`,
    ...(lags ? { warning: true } : {}),
  }
}

const LAST_ENTRY = onlyRow(
  sql`SELECT coalesce(max(log_seq), 0) AS last FROM audit_log`,
  field('last', asNumber),
)

const readEntry = columns({ log_seq: asNumber, kind: asText, record_json: asText, hash: asText })

type StoredEntry = ReturnType<typeof readEntry>

/** What the log lacks of the tables that it holds. */
function missingEntry(
  passed: Readonly<Partial<Record<FactName, number>>>,
  covered: Readonly<Record<FactName, number>>,
  there: Readonly<Record<FactName, number>>,
): string | undefined {
  for (const name of FACT_NAMES) {
    const { table, key } = FACTS[name]
    if (passed[name] !== undefined && passed[name] !== covered[name])
      return `its entries end with ${table} ${key} ${passed[name]}, its head has ${covered[name]}`
    if (there[name] > covered[name])
      return `${table} ${key} ${there[name]} has no entry: another program wrote it`
  }
  return undefined
}

/** Goes through the log, or its newest entries, and says of each whether it holds. */
class LogCheck {
  /** The last row of each table that an entry was found for; unknown before the first of them where entries are left out. */
  readonly passed: Partial<Record<FactName, number>>
  /** The latest time of an entry since somebody last said that the clock was right. */
  latest = 0
  #seq: number
  #hash: string
  /** The last entry whose row is left out, and how many there are. */
  #leftOut = { upTo: 0, rows: 0 }
  readonly #db: Sql
  readonly #rows: Record<FactName, RowsOfTable>

  /** `from` is the entry before the first one. */
  constructor(db: Sql, there: Readonly<Record<FactName, number>>, from: LogEnd) {
    this.#db = db
    this.#seq = from.seq
    this.#hash = from.hash
    this.passed = from.seq === 0 ? { actions: 0, policies: 0, prices: 0, releases: 0 } : {}
    this.#rows = {
      actions: new RowsOfTable(db, 'actions', there.actions),
      policies: new RowsOfTable(db, 'policies', there.policies),
      prices: new RowsOfTable(db, 'prices', there.prices),
      releases: new RowsOfTable(db, 'releases', there.releases),
    }
  }

  async problemOf(row: StoredEntry): Promise<string | undefined> {
    const json = row.record_json
    if (row.hash !== (await sha256(json))) return 'its record does not match its hash'
    const record = JSON.parse(json) as LogRecord
    if (record.log_seq !== row.log_seq || record.kind !== row.kind)
      return 'its columns differ from its record'
    if (record.log_seq !== this.#seq + 1 || record.prev_hash !== this.#hash)
      return 'it does not follow the entry before it'
    this.#seq = record.log_seq
    this.#hash = row.hash
    this.latest = latestOf({ latest_at: this.latest }, [record])
    const name = FACT_OF[record.kind]
    if (name === undefined) return undefined
    if (FACTS[name].texts.length === 0 || record.log_seq > this.#leftOut.upTo)
      return this.#factProblem(name, record)
    delete this.passed[name]
    return undefined
  }

  /** Leaves out the rows of all but the newest of these entries, where their texts are too long together. */
  async leaveOut(entries: readonly StoredEntry[]): Promise<void> {
    const bytes = await newestBytes(this.#db, entries.length)
    let sum = 0
    for (const { record_json } of entries.toReversed()) {
      const { log_seq, kind, subject } = JSON.parse(record_json) as LogRecord
      const name = FACT_OF[kind]
      if (name === undefined || FACTS[name].texts.length === 0) continue
      // The one that is too long is compared still: it may have been made so.
      const isWithin = sum <= MOST_BYTES
      sum += bytes.get(`${name} ${subject}`) ?? 0
      if (isWithin) continue
      const { upTo, rows } = this.#leftOut
      this.#leftOut = { upTo: Math.max(upTo, log_seq), rows: rows + 1 }
    }
  }

  leftOutRows(): string {
    const { rows } = this.#leftOut
    return rows === 0
      ? ''
      : `; the rows of ${rows} of them are too long, and only \`svc doctor --deep\` compares them`
  }

  endProblem(seq: number, hash: string): string | undefined {
    if (this.#seq === seq && this.#hash === hash) return undefined
    return `the log ends with log_seq ${this.#seq}, its head has ${seq} or another hash`
  }

  async #factProblem(name: FactName, entry: LogRecord): Promise<string | undefined> {
    const { subject } = entry
    const { table, key, subject: id } = FACTS[name]
    const row = await this.#rows[name].behind(this.passed[name] ?? (await this.#justBefore(name, subject)))
    if (row === undefined) return `${table} has no row for it`
    this.passed[name] = asNumber(row[key])
    if (row[id] !== subject) return `it has ${subject}, but ${table} ${key} ${row[key]} has ${row[id]}`
    if (await isFact(name, row, entry)) return undefined
    return `${table} ${key} ${row[key]} is not as it was written`
  }

  /** What numbers the row before that of an entry, in a table of which no entry was seen yet. */
  async #justBefore(name: FactName, id: string): Promise<number> {
    const { table, key, subject } = FACTS[name]
    const own = sql`SELECT ${raw(key)} AS seq FROM ${raw(table)} WHERE ${raw(subject)} = ${id}`
    const seq = await ask(this.#db, firstRow(own, field('seq', asNumber)))
    return seq === undefined ? Number.MAX_SAFE_INTEGER : seq - 1
  }
}

/** Rows that are read at a time, where one may have megabytes. */
const ROWS: Readonly<Partial<Record<FactName, number>>> = { prices: 5, releases: 50 }

/** The rows of a table in order, read in pages. */
class RowsOfTable {
  readonly #db: Sql
  readonly #name: FactName
  readonly #upTo: number
  #pages: AsyncGenerator<readonly Row[]> | undefined
  #page: readonly Row[] = []
  #at = 0

  constructor(db: Sql, name: FactName, upTo: number) {
    this.#db = db
    this.#name = name
    this.#upTo = upTo
  }

  /** The first row whose number is above `seq`, which never goes down. */
  async behind(seq: number): Promise<Row | undefined> {
    const { key } = FACTS[this.#name]
    this.#pages ??= factPages(this.#db, this.#name, seq, this.#upTo, ROWS[this.#name])
    for (;;) {
      while (this.#at < this.#page.length) {
        const row = this.#page[this.#at++]!
        if (asNumber(row[key]) > seq) return row
      }
      const next = await this.#pages.next()
      if (next.done === true) return undefined
      this.#page = next.value
      this.#at = 0
    }
  }
}

/** Ids that are kept in memory at a time; where there are more, the log is read several times. */
const MOST_IDS = 100_000

/** What the last entry about a row says of it: the hash, or null where it is gone. */
interface Stored {
  readonly hash: string | null
  readonly log_seq: number
  /** The first entry about it. */
  readonly first: number
}

/**
 * Rows that may change are what the last entry of the audit log about them says, in the order of their first entries.
 * Names the first that isn't, that has no entry, or that is gone.
 */
export async function checkStoredRows(db: Sql, onProgress?: Progress): Promise<DoctorCheck> {
  const name = 'held_rows'
  const counted = BOUND_NAMES.map(table =>
    onlyRow({ text: `SELECT count(*) AS n FROM ${table}`, params: [] }, field('n', asNumber)),
  )
  const { head, counts } = await ask(db, together({ head: HEAD, counts: inTurn(counted) }))
  const rows = counts.reduce((sum, n) => sum + n, 0)
  const parts = Math.max(1, Math.ceil(rows / MOST_IDS))
  let verified = 0
  for (let part = 0; part < parts; part++) {
    const isOfPart = (id: string): boolean => partOf(id, parts) === part
    const stored = await storedRows(db, head.log.seq, isOfPart)
    const found = await compare(db, stored, isOfPart)
    if (typeof found === 'string') return fail(name, found)
    verified += found
    onProgress?.('rows', part + 1, parts)
  }
  return pass(name, `${verified} match the audit log`)
}

/** Ids are made at random, but for those of other programs. */
function partOf(id: string, parts: number): number {
  let sum = 0
  for (let index = 0; index < id.length; index++) sum = (sum * 31 + id.charCodeAt(index)) % 1_000_003
  return sum % parts
}

/** Entries that are read at a time. */
const ROWS_PAGE = 500

async function storedRows(
  db: Sql,
  last: number,
  isOfPart: (id: string) => boolean,
): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>()
  for (let seq = 0; ;) {
    const page = sql`SELECT log_seq, record_json FROM audit_log
      WHERE log_seq > ${seq} AND log_seq <= ${last} AND record_json LIKE ${'%"holds":{%'} ORDER BY log_seq LIMIT ${ROWS_PAGE}`
    const rows = await ask(db, allRows(page, columns({ log_seq: asNumber, record_json: asJson<LogRecord> })))
    for (const { log_seq, record_json } of rows) {
      const { details } = record_json
      for (const [table, hashes] of Object.entries((details as { holds?: Holds }).holds ?? {})) {
        for (const [id, hash] of Object.entries(hashes)) {
          if (!isOfPart(id)) continue
          const { first = log_seq } = stored.get(`${table} ${id}`) ?? {}
          stored.set(`${table} ${id}`, { hash, log_seq, first })
        }
      }
      seq = log_seq
    }
    if (rows.length < ROWS_PAGE) return stored
  }
}

/** How many rows hold, or the first problem. */
async function compare(
  db: Sql,
  stored: Map<string, Stored>,
  isOfPart: (id: string) => boolean,
): Promise<number | string> {
  let verified = 0
  for (const table of BOUND_NAMES) {
    const order: { readonly id: string; readonly seq: number; readonly first: number }[] = []
    for await (const page of boundPages(db, table)) {
      for (const row of page) {
        const { id, seq } = row
        if (!isOfPart(id)) continue
        const said = stored.get(`${table} ${id}`)
        if (said === undefined) {
          return (
            `${table} ${id} has no entry: another program wrote it; ` +
            'check that it is right, then remove it and create it again'
          )
        }
        if (said.hash !== row.hash) {
          return `${table} ${id} does not match log_seq ${said.log_seq}`
        }
        order.push({ id, seq, first: said.first })
        stored.delete(`${table} ${id}`)
        verified += 1
      }
    }
    order.sort((a, b) => a.seq - b.seq)
    const early = order.find((row, index) => row.seq > 0 && row.first < (order[index - 1]?.first ?? 0))
    if (early !== undefined) return `${table} ${early.id} is after rows that were made later`
  }
  for (const [key, { hash, log_seq }] of stored) {
    if (hash !== null) return `${key} is missing, but log_seq ${log_seq} has it`
  }
  return verified
}
