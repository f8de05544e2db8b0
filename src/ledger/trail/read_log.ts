import type { InputPart } from '../../models/all/input.ts'
import { isoTime } from '../../base/time.ts'
import type { AuditEntry, AuditPage } from '../../models/answers/audit.ts'
import { FACT_OF, LOG_KINDS } from '../../models/names.ts'
import { textAt } from '../../sql/dialect.ts'
import { inBackground } from '../../sql/deadline.ts'
import { type Row, type Sql, type Statement, join, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  asNumber,
  asText,
  ask,
  columns,
  firstRow,
  listed,
  onlyRow,
  orNull,
} from '../../sql/query.ts'
import { timeOf } from '../world/query.ts'
import { FACTS, FACT_NAMES, changedRow, factTexts } from './facts.ts'
import type { LogRecord } from './chain.ts'

export type LogListing = Omit<InputPart<'AuditLog', 'query'>, 'facts'>

/**
 * The same entries, each with the text that its `fact` is the SHA-256 of; null where it is of no row. Throws 409 where a row
 * is gone, or is not what was written.
 */
export async function withFacts(db: Sql, page: AuditPage): Promise<AuditPage> {
  const texts = new Map<string, string>()
  for (const name of FACT_NAMES) {
    const about = page.entries.filter(({ kind }) => FACT_OF[kind] === name)
    const found = await factTexts(db, name, about)
    for (const [subject, text] of found) texts.set(`${name} ${subject}`, text)
  }
  const entries = page.entries.map(entry => ({
    ...entry,
    fact_text: texts.get(`${FACT_OF[entry.kind]} ${entry.subject}`) ?? null,
  }))
  return { ...page, entries }
}

/** A page of the audit log, newest first, and where the next one starts: null on the last. Throws 400 for an invalid time. */
export async function listLog(db: Sql, listing: LogListing): Promise<AuditPage> {
  const { kind, limit, after, agent, env, actor, since, until } = listing
  const said = (...path: readonly string[]): Statement => textAt('record_json', path)
  const at = sql`CAST(${said('created_at')} AS BIGINT)`
  const conditions: Statement[] = [
    sql`true`,
    ...(kind === undefined ? [] : [sql`kind IN (${listed(kindsOf(kind))})`]),
    // As the index says it: a decision is most entries, and needs none.
    ...(kind === undefined || kind === 'decision' ? [] : [sql`kind <> 'decision'`]),
    ...(after === undefined ? [] : [sql`log_seq < ${after}`]),
    ...(actor === undefined ? [] : [sql`${said('actor')} = ${actor}`]),
    ...(agent === undefined ? [] : [sql`${said('details', 'agent_id')} = ${agent}`]),
    ...(env === undefined ? [] : [sql`${said('details', 'environment')} = ${env}`]),
    ...(since === undefined ? [] : [sql`${at} >= ${timeOf('since', since)}`]),
    ...(until === undefined ? [] : [sql`${at} < ${timeOf('until', until)}`]),
  ]
  const page = sql`SELECT record_json, hash FROM audit_log WHERE ${join(conditions, ' AND ')}
    ORDER BY log_seq DESC LIMIT ${limit + 1}`
  // What is filtered by a record's text may read the whole log.
  const isLong = [agent, env, actor, since, until].some(wanted => wanted !== undefined)
  const rows = await ask(isLong ? inBackground(db) : db, allRows(page, toEntry))
  const entries = rows.slice(0, limit)
  return { entries, next_after: rows.length > limit ? entries.at(-1)!.log_seq : null }
}

function kindsOf(name: string): string[] {
  return LOG_KINDS.filter(kind => kind === name || kind.startsWith(`${name}.`))
}

const readEntry = columns({ record_json: asText, hash: asText })

function toEntry(row: Row): AuditEntry {
  const { record_json, hash } = readEntry(row)
  const record = JSON.parse(record_json) as LogRecord
  return { ...record, created_at: isoTime(record.created_at), record_json, hash }
}

type RowName = 'actions' | 'releases'

interface Found {
  readonly log_seq: number
  readonly json: string
}

/** The entry about a row that never changes, and the text that it has the hash of. Throws 409 where the row is another one. */
export async function vouchedBy(
  db: Sql,
  name: RowName,
  id: string,
): Promise<{ readonly entry: Found; readonly fact: string }> {
  const entry = await entryOf(db, name, id)
  if (entry === undefined) throw changedRow(id, 'the audit log has no entry of it')
  const texts = await factTexts(db, name, [JSON.parse(entry.json) as LogRecord])
  return { entry, fact: texts.get(id)! }
}

/** The entry about a row: rows have the same order in the log, so it is found by halves. */
async function entryOf(db: Sql, name: RowName, id: string): Promise<Found | undefined> {
  const { table, key, subject } = FACTS[name]
  const isOfKind =
    name === 'actions' ? sql`kind = 'decision'` : sql`kind = 'release.registered' AND kind <> 'decision'`
  const keyed = (of: Statement): Statement =>
    sql`(SELECT ${raw(key)} FROM ${raw(table)} WHERE ${raw(subject)} = ${of})`
  const { last, wanted } = await ask(
    db,
    onlyRow(
      sql`SELECT coalesce(max(log_seq), 0) AS last, ${keyed(sql`${id}`)} AS wanted FROM audit_log`,
      columns({ last: asNumber, wanted: asNumber }),
    ),
  )
  let [low, high] = [1, last]
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const first = sql`SELECT log_seq, record_json AS json, ${textAt('record_json', ['subject'])} AS subject
      FROM audit_log WHERE log_seq >= ${middle} AND log_seq <= ${high} AND ${isOfKind} ORDER BY log_seq LIMIT 1`
    const found = await ask(
      db,
      firstRow(
        sql`SELECT l.*, ${keyed(sql`l.subject`)} AS at FROM (${first}) AS l`,
        columns({ log_seq: asNumber, json: asText, subject: asText, at: orNull(asNumber) }),
      ),
    )
    if (found?.subject === id) return found
    if (found !== undefined && (found.at ?? 0) < wanted) low = found.log_seq + 1
    else high = middle - 1
  }
  return undefined
}
