import { type Row, type Sql, rowsOf, rowsOfKeys, sql } from '../../sql/port.ts'
import { nullable } from '../../sql/query.ts'
import { remembered } from '../../ledger/world/memo.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type CaseDetails, type CaseTable, KEY_CHARS, tableOf, unpackDetails } from './rules_cases.ts'
import type { ImportFacts } from './rules_suites.ts'

/** An import, as far as its cases are concerned. */
export interface ImportOfCases {
  readonly import_id: string
  readonly parts: number
  readonly facts: ImportFacts | undefined
}

/** Tries of tables that a process remembers. */
const MOST_REMEMBERED = 300_000

/** Tables of imports, which never change, by the hash of their parts; those that were used last stand last. */
type KnownTables = Map<string, CaseTable>

/** The cases of imports by import_id; without those that are not told apart, or no longer kept. */
export async function readTables(
  { sql: db, memo }: Pick<Ledger, 'sql' | 'memo'>,
  imports: readonly ImportOfCases[],
): Promise<Map<string, CaseTable>> {
  const known = remembered(memo, 'scores', (): KnownTables => new Map())
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
  const rows = await rowsOf(
    db,
    sql`SELECT cases_json FROM score_parts WHERE import_id = ${importId} ORDER BY part`,
  )
  return rows.length === parts ? tableOf(rows.map(row => String(row.cases_json))) : undefined
}

function forgetOld(known: KnownTables): void {
  let tries = 0
  for (const [name, { keys }] of [...known].toReversed()) {
    if (tries > 0 && tries + keys.length > MOST_REMEMBERED) known.delete(name)
    else tries += keys.length
  }
}

/** The names of cases by key; without those that have none. */
export async function namesOf(db: Sql, keys: readonly string[]): Promise<Map<string, string>> {
  const rows = await rowsOfKeys(
    db,
    keys,
    listed => sql`SELECT case_key, name FROM score_cases WHERE case_key IN (${listed})`,
  )
  return new Map(rows.map(row => [String(row.case_key), String(row.name)]))
}

export async function nameOfCase(db: Sql, key: string): Promise<string | null> {
  return (await namesOf(db, [key])).get(key) ?? null
}

/** What is shown of some cases of an import, all tries of a case together. */
export async function detailsOf(
  db: Sql,
  importId: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, CaseDetails[]>> {
  const rows: Row[] =
    wanted.size === 0
      ? []
      : await rowsOf(
          db,
          sql`SELECT cases_json, details_json FROM score_parts
            WHERE import_id = ${importId} AND details_json IS NOT NULL ORDER BY part`,
        )
  const found = new Map<string, CaseDetails[]>()
  for (const row of rows) {
    const { keys } = JSON.parse(String(row.cases_json)) as { keys: string }
    const details = unpackDetails(nullable(row.details_json, String))
    for (let index = 0; index < keys.length / KEY_CHARS; index++) {
      const key = keys.slice(index * KEY_CHARS, (index + 1) * KEY_CHARS)
      if (wanted.has(key)) found.set(key, [...(found.get(key) ?? []), details(index)])
    }
  }
  return found
}
