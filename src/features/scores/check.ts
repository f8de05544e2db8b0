import { type Row, type Sql, rowsOf, sql } from '../../sql/port.ts'
import type { Check, CheckOptions } from '../../ledger/doctor/check.ts'
import { type DoctorCheck, fail, pass } from '../../ledger/doctor/check.ts'
import { partsHash } from './imports.ts'
import { caseHashes, textOfName } from './receive.ts'
import { sumsOfCases, tableOf } from './rules_cases.ts'
import type { ImportFacts } from './rules_suites.ts'

export const CHECKS: readonly Check[] = [{ name: 'score_cases', deep: true, run: checkCases }]

const NAME = 'score_cases'

/**
 * The cases of each import are those that its row has the hash of, and add up to its scores; the newest import of a suite
 * has its cases; and names are those that keys of cases were made of.
 */
async function checkCases(db: Sql, options: CheckOptions): Promise<DoctorCheck> {
  let imports = 0
  for (let seq = 0; ;) {
    const [row] = await rowsOf(
      db,
      sql`SELECT seq, import_id FROM score_evaluations WHERE seq > ${seq} AND parts > 0 ORDER BY seq LIMIT 1`,
    )
    if (row === undefined) break
    const problem = await problemOf(db, String(row.import_id))
    if (problem !== undefined) return fail(NAME, `${row.import_id}: ${problem}`)
    seq = Number(row.seq)
    options.onProgress?.('imports of scores', ++imports, imports)
  }
  const [stray] = await rowsOf(
    db,
    sql`SELECT import_id FROM score_parts WHERE import_id NOT IN (SELECT import_id FROM score_uploads)
      AND import_id NOT IN (SELECT import_id FROM score_evaluations) LIMIT 1`,
  )
  if (stray !== undefined) return fail(NAME, `there are cases of ${stray.import_id}, which was not imported`)
  const named = await checkNames(db, options)
  return typeof named === 'string'
    ? fail(NAME, named)
    : pass(
        NAME,
        `${imports} imports have the cases that the audit log says, and ${named} names are those of cases`,
      )
}

/** One import, as one snapshot sees it: it may be pruned meanwhile. */
async function problemOf(db: Sql, importId: string): Promise<string | undefined> {
  const [imports, parts] = await db.snapshot([
    sql`SELECT i.cases, i.scores_json, e.parts, e.facts_json, CASE WHEN EXISTS (SELECT 1 FROM score_imports n
        WHERE n.release_id = i.release_id AND n.suite = i.suite AND n.seq > i.seq) THEN 1 ELSE 0 END AS is_older
      FROM score_imports i JOIN score_evaluations e ON e.import_id = i.import_id WHERE i.import_id = ${importId}`,
    sql`SELECT results, cases_json FROM score_parts WHERE import_id = ${importId} ORDER BY part`,
  ])
  const row = imports!.rows[0]
  if (row === undefined) return 'it is no import of scores'
  // Cases of older imports may be pruned.
  if (parts!.rows.length === 0 && row.is_older === 1) return undefined
  return parts!.rows.length === Number(row.parts) ? differs(row, parts!.rows) : 'some of its cases are gone'
}

async function differs(row: Row, parts: readonly Row[]): Promise<string | undefined> {
  const texts = parts.map(({ cases_json }) => String(cases_json))
  const facts = JSON.parse(String(row.facts_json)) as ImportFacts
  if ((await partsHash(texts)) !== facts.cases_sha256) return 'its cases are not those that were imported'
  const table = tableOf(texts)
  const results = parts.reduce((sum, part) => sum + Number(part.results), 0)
  const isCounted = results === facts.results && table.keys.length === Number(row.cases)
  return isCounted && JSON.stringify(sumsOfCases(table)) === row.scores_json
    ? undefined
    : 'its scores are not what its cases add up to'
}

/** Names that are hashed at a time. */
const PAGE = 2000

/** How many names there are, or the first problem. */
async function checkNames(db: Sql, { digestAll }: CheckOptions): Promise<number | string> {
  const [state] = await rowsOf(db, sql`SELECT case_secret FROM retention WHERE id = 1`)
  let names = 0
  for (let last = ''; ;) {
    const rows = await rowsOf(
      db,
      sql`SELECT case_key, name FROM score_cases WHERE case_key > ${last} ORDER BY case_key LIMIT ${PAGE}`,
    )
    if (rows.length === 0) return names
    const hashes = await caseHashes(
      digestAll === undefined ? {} : { digestAll },
      String(state!.case_secret),
      rows.map(({ name }) => textOfName(String(name))),
    )
    const wrong = rows.find(({ case_key }, index) => case_key !== hashes[index])
    if (wrong !== undefined) return `the case ${wrong.case_key} has another name than it was imported with`
    names += rows.length
    last = String(rows.at(-1)!.case_key)
  }
}
