import { type Row, type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asNumber,
  asRow,
  asText,
  ask,
  columns,
  columnsOf,
  inTurn,
  onlyRow,
  rowsOfKeys,
} from '../../sql/query.ts'
import { sha256 } from '../../base/bytes.ts'
import { ServiceError } from '../../base/errors.ts'
import { type Covered, type LogRecord, chainProblem, readStoredAction } from './chain.ts'

/** A table whose rows never change, and the kind of entry that the audit log has of each. */
export interface FactTable {
  readonly table: string
  /** What numbers its rows. */
  readonly key: string
  /** What an entry names a row by. */
  readonly subject: string
  /** What an entry holds of a row, in this order. Never to be changed: hashes were made of it. */
  readonly columns: readonly string[]
  /** Which of them may be long. */
  readonly texts: readonly string[]
}

export type FactName = keyof Covered

export const FACTS: Readonly<Record<FactName, FactTable>> = {
  actions: {
    table: 'actions',
    key: 'audit_seq',
    subject: 'action_id',
    columns: columnsOf(
      sql`action_id, action, release_id, agent_id, environment, baseline_release_id, reason, actor,
       policy_passed, policy_reasons, created_at, audit_seq, hash`,
    ),
    texts: [],
  },
  policies: {
    table: 'policy_history',
    key: 'seq',
    subject: 'change_id',
    columns: ['change_id', 'policy_id', 'policy_json', 'actor', 'actor_source', 'created_at', 'reason'],
    texts: ['policy_json'],
  },
  prices: {
    table: 'pricing_imports',
    key: 'seq',
    subject: 'import_id',
    columns: columnsOf(
      sql`import_id, provider, pricing_version, action, actor, reason, old_pricing_json, new_pricing_json,
       new_checksum, created_at`,
    ),
    texts: ['old_pricing_json', 'new_pricing_json'],
  },
  releases: {
    table: 'releases',
    key: 'seq',
    subject: 'release_id',
    columns: columnsOf(
      sql`release_id, agent_id, version, environment, checksum, created_at, model, pricing_provider,
       pricing_version, artifact_json`,
    ),
    texts: ['artifact_json'],
  },
}

/** Columns that are younger than the hashes: the details of an entry hold what they are. */
const DETAILED: Readonly<Partial<Record<FactName, readonly string[]>>> = {
  releases: ['pricing_checksum'],
}

export const FACT_NAMES = Object.keys(FACTS) as FactName[]

/** SHA-256 of a row. That of a decision is the hash of its record, which the row holds. */
export async function factHash(name: FactName, row: Row): Promise<string> {
  return name === 'actions' ? asText(row.hash) : sha256(factText(FACTS[name], row))
}

/** What an entry says of a row. */
type Said = Pick<LogRecord, 'log_seq' | 'subject' | 'fact'> & { readonly details: object }

/** Whether a row is what its entry says. */
export async function isFact(
  name: FactName,
  row: Row,
  { fact, details }: Omit<Said, 'subject'>,
): Promise<boolean> {
  const detailed = DETAILED[name] ?? []
  if (detailed.some(column => (row[column] ?? null) !== ((details as Row)[column] ?? null))) return false
  return (await factHash(name, row)) === fact
}

/**
 * The texts that the hashes of entries are made of, by what the entries are about. Throws 409 where a row is gone, or is not
 * what was written.
 */
export async function factTexts(
  db: Sql,
  name: FactName,
  entries: readonly Said[],
): Promise<Map<string, string>> {
  const { table, subject } = FACTS[name]
  const texts = new Map<string, string>()
  const rows = await rowsOfKeys(
    db,
    entries.map(entry => entry.subject),
    listed => sql`SELECT * FROM ${raw(table)} WHERE ${raw(subject)} IN (${listed})`,
    asRow,
  )
  const bySubject = new Map(rows.map(row => [asText(row[subject]), row]))
  for (const entry of entries) {
    const row = bySubject.get(entry.subject)
    const problem = row === undefined ? 'the row is missing' : await problemOf(name, row, entry)
    if (problem !== undefined) throw changedRow(entry.subject, problem)
    texts.set(entry.subject, name === 'actions' ? asText(row!.record_json) : factText(FACTS[name], row!))
  }
  return texts
}

async function problemOf(name: FactName, row: Row, entry: Said): Promise<string | undefined> {
  if (name === 'actions') {
    const stored = readStoredAction(row)
    const problem = await chainProblem(stored, stored.prev_hash)
    if (problem !== undefined) return problem
  }
  return (await isFact(name, row, entry)) ? undefined : `log_seq ${entry.log_seq} has another hash`
}

/** What refuses to hand out as evidence what somebody changed. */
export function changedRow(id: string, problem: string): ServiceError {
  return new ServiceError(
    409,
    `${id} was changed in the database after it was written: ${problem}. \`svc doctor\` checks the others.`,
  )
}

function factText({ columns: stored }: FactTable, row: Row): string {
  return JSON.stringify(stored.map(column => row[column] ?? null))
}

/** Rows that are hashed at a time. */
const PAGE = 200

/** The rows of a table behind `after`, up to and with `upTo`, in pages. */
export async function* factPages(
  db: Sql,
  name: FactName,
  after: number,
  upTo: number,
  rowsAtATime = PAGE,
): AsyncGenerator<readonly Row[]> {
  const { table, key, columns: stored } = FACTS[name]
  const selected = new Set([key, ...stored, ...(DETAILED[name] ?? [])])
  for (let seq = after; ;) {
    const page = sql`SELECT ${raw([...selected].join(', '))} FROM ${raw(table)}
      WHERE ${raw(key)} > ${seq} AND ${raw(key)} <= ${upTo} ORDER BY ${raw(key)} LIMIT ${rowsAtATime}`
    const rows = await ask(db, allRows(page, asRow))
    if (rows.length === 0) return
    yield rows
    seq = asNumber(rows.at(-1)![key])
  }
}

/** How long the texts of the newest rows of each table are that has any, in bytes, by table and what entries name them by. */
export async function newestBytes(db: Sql, rows: number): Promise<ReadonlyMap<string, number>> {
  const named = FACT_NAMES.filter(name => FACTS[name].texts.length > 0)
  const lengths = named.map(name => {
    const { table, key, subject } = FACTS[name]
    const newest = sql`SELECT ${raw(subject)} AS id, ${textBytes(name)} AS bytes FROM ${raw(table)}
      ORDER BY ${raw(key)} DESC LIMIT ${rows}`
    const read = columns({ id: asText, bytes: asNumber })
    return allRows(newest, row => {
      const { id, bytes } = read(row)
      return [`${name} ${id}`, bytes] as const
    })
  })
  return new Map((await ask(db, inTurn(lengths))).flat())
}

/** Databases know the length of a text without reading it. */
function textBytes(name: FactName): Statement {
  return raw(FACTS[name].texts.map(column => `coalesce(octet_length(${column}), 0)`).join(' + '))
}

/** The last row of each table of facts, one row with a column each. */
export const LAST_FACTS: Query<Covered> = onlyRow(
  raw(
    `SELECT ${FACT_NAMES.map(name => `(SELECT coalesce(max(${FACTS[name].key}), 0) FROM ${FACTS[name].table}) AS ${name}`).join(', ')}`,
  ),
  columns({ actions: asNumber, policies: asNumber, prices: asNumber, releases: asNumber }),
)
