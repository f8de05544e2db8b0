import { isoTime } from '../../base/time.ts'
import type { AuditEntry, AuditPage } from '../../models/answers/audit.ts'
import { LOG_KINDS } from '../../models/names.ts'
import { textAt } from '../../sql/dialect.ts'
import { type Row, type Sql, type Statement, inBackground, join, sql } from '../../sql/port.ts'
import { allRows, asText, ask, columns, listed } from '../../sql/query.ts'
import { timeOf } from '../world/query.ts'
import { FACT_NAMES, FACT_OF, factTexts } from './facts.ts'
import type { LogRecord } from './chain.ts'

export interface LogListing {
  /** A kind, or what several begin with. */
  readonly kind?: string | undefined
  readonly agent?: string | undefined
  readonly env?: string | undefined
  readonly actor?: string | undefined
  /** Only entries since then, and before then; timestamps. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit: number
  /** Only entries older than this log_seq. */
  readonly after?: number | undefined
}

/** The same entries, each with the text that its `fact` is the SHA-256 of; null where it is of no row, or that row is gone. */
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
  const said = (...path: readonly string[]): Statement => textAt(db.dialect, 'record_json', path)
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
