import { type Sql, sql } from '../../sql/port.ts'
import { allRows, asJson, ask, asNumber, asText, columns, field, rowsOfKeys } from '../../sql/query.ts'
import { remembering } from '../../ledger/world/memo.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type CaseDetails, type CaseTable, tableOf, unpackDetails } from './rules_cases.ts'
import type { ImportFacts } from './rules_suites.ts'

/** An import, as far as its cases are concerned. */
export interface ImportOfCases {
  readonly import_id: string
  readonly parts: number
  readonly facts: ImportFacts | undefined
}

/** Tries from which on a process forgets the tables that it used before. */
const MOST_REMEMBERED = 300_000

/** Tables of imports, which never change, by the hash of their parts; those that were used last are at the end. */
const knownTables = remembering(() => new Map<string, CaseTable>())

/** The cases of imports by import_id; without those that have no identity, or no longer kept. */
export async function readTables(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  imports: readonly ImportOfCases[],
): Promise<Map<string, CaseTable>> {
  const known = knownTables(memo)
  const tables = new Map<string, CaseTable>()
  for (const { import_id, parts, facts } of imports) {
    if (parts === 0) continue
    const name = `${import_id} ${facts!.cases_sha256}`
    const table = known.get(name) ?? (await readTable(db, import_id, parts))
    if (table === undefined) continue
    tables.set(import_id, table)
    known.delete(name)
    known.set(name, table)
    forgetOld(known)
  }
  return tables
}

async function readTable(db: Sql, importId: string, parts: number): Promise<CaseTable | undefined> {
  const stored = sql`SELECT cases_json FROM score_parts WHERE import_id = ${importId} ORDER BY part`
  const texts = await ask(db, allRows(stored, field('cases_json', asText)))
  return texts.length === parts ? tableOf(texts) : undefined
}

function forgetOld(known: ReturnType<typeof knownTables>): void {
  let tries = 0
  for (const [name, { rows }] of [...known].toReversed()) {
    if (tries > MOST_REMEMBERED) known.delete(name)
    tries += rows.reduce((sum, { length }) => sum + length, 0)
  }
}

/** What is to be known of imports to read their cases. */
export async function importsOf(
  db: Sql,
  named: readonly { readonly import_id: string }[],
): Promise<ImportOfCases[]> {
  const ids = [...new Set(named.map(({ import_id }) => import_id))]
  const rows = await rowsOfKeys(
    db,
    ids,
    listed => sql`SELECT import_id, parts, facts_json FROM score_evaluations WHERE import_id IN (${listed})`,
    columns({ import_id: asText, parts: asNumber, facts_json: asJson<ImportFacts> }),
  )
  return rows.map(({ facts_json: facts, ...of }) => ({ ...of, facts }))
}

/** The names of cases by key; without those that have none. */
export async function namesOf(db: Sql, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await rowsOfKeys(
    db,
    keys,
    listed => sql`SELECT case_key, name FROM score_cases WHERE case_key IN (${listed})`,
    columns({ case_key: asText, name: asText }),
  )
  return new Map(rows.map(({ case_key, name }) => [case_key, name]))
}

/** What is shown of the tries of some cases of an import, by key. */
export async function detailsOf(
  db: Sql,
  importId: string,
  { numbers, rows }: CaseTable,
  keys: readonly string[],
): Promise<Map<string, CaseDetails[]>> {
  const wanted = new Map(keys.flatMap(key => (numbers.has(key) ? [[numbers.get(key)!, key] as const] : [])))
  const parts = rows.flatMap((row, part) => (row.some(number => wanted.has(number)) ? [part] : []))
  const found = new Map<string, CaseDetails[]>()
  const texts = await rowsOfKeys(
    db,
    parts.map(String),
    listed => sql`SELECT part, details_json FROM score_parts WHERE import_id = ${importId}
      AND CAST(part AS TEXT) IN (${listed}) AND details_json IS NOT NULL ORDER BY part`,
    columns({ part: asNumber, details_json: asText }),
  )
  for (const { part, details_json } of texts) {
    const details = unpackDetails(details_json)
    for (const [index, number] of rows[part]!.entries()) {
      const key = wanted.get(number)
      if (key !== undefined) found.set(key, [...(found.get(key) ?? []), details[index]!])
    }
  }
  return found
}
