import { type Sql, sql } from '../../sql/port.ts'
import {
  allRows,
  asFlag,
  asJson,
  ask,
  asNumber,
  asText,
  columns,
  field,
  firstRow,
  onlyRow,
  together,
} from '../../sql/query.ts'
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
    const next = sql`SELECT seq, import_id FROM score_evaluations
      WHERE seq > ${seq} AND parts > 0 ORDER BY seq LIMIT 1`
    const row = await ask(db, firstRow(next, columns({ seq: asNumber, import_id: asText })))
    if (row === undefined) break
    const problem = await problemOf(db, row.import_id)
    if (problem !== undefined) return fail(NAME, `${row.import_id}: ${problem}`)
    seq = row.seq
    options.onProgress?.('imports of scores', ++imports, imports)
  }
  const unknown = sql`SELECT import_id FROM score_parts
    WHERE import_id NOT IN (SELECT import_id FROM score_uploads)
      AND import_id NOT IN (SELECT import_id FROM score_evaluations) LIMIT 1`
  const importId = await ask(db, firstRow(unknown, field('import_id', asText)))
  if (importId !== undefined) return fail(NAME, `there are cases of ${importId}, which was not imported`)
  const named = await checkNames(db)
  return typeof named === 'string'
    ? fail(NAME, named)
    : pass(
        NAME,
        `${imports} imports have the cases that the audit log says, and ${named} names are those of cases`,
      )
}

const readImport = columns({
  cases: asNumber,
  scores_json: asText,
  parts: asNumber,
  facts_json: asJson<ImportFacts>,
  is_older: asFlag,
})

const readPart = columns({ results: asNumber, cases_json: asText })

/** One import, as one snapshot sees it: it may be pruned meanwhile. */
async function problemOf(db: Sql, importId: string): Promise<string | undefined> {
  const { found, parts } = await ask(
    db,
    together({
      found: firstRow(
        sql`SELECT i.cases, i.scores_json, e.parts, e.facts_json, CASE WHEN EXISTS (SELECT 1 FROM score_imports n
            WHERE n.release_id = i.release_id AND n.suite = i.suite AND n.seq > i.seq) THEN 1 ELSE 0 END AS is_older
          FROM score_imports i JOIN score_evaluations e ON e.import_id = i.import_id WHERE i.import_id = ${importId}`,
        readImport,
      ),
      parts: allRows(
        sql`SELECT results, cases_json FROM score_parts WHERE import_id = ${importId} ORDER BY part`,
        readPart,
      ),
    }),
  )
  if (found === undefined) return 'it is not an import of scores'
  // Cases of older imports may be pruned.
  if (parts.length === 0 && found.is_older) return undefined
  return parts.length === found.parts ? differs(found, parts) : 'some of its cases are missing'
}

async function differs(
  { cases, scores_json, facts_json: facts }: ReturnType<typeof readImport>,
  parts: readonly ReturnType<typeof readPart>[],
): Promise<string | undefined> {
  const texts = parts.map(({ cases_json }) => cases_json)
  if ((await partsHash(texts)) !== facts.cases_sha256) return 'its cases differ from the imported ones'
  const table = tableOf(texts)
  const sent = parts.reduce((sum, { results }) => sum + results, 0)
  const isCounted = sent === facts.results && table.keys.length === cases
  return isCounted && JSON.stringify(sumsOfCases(table)) === scores_json
    ? undefined
    : 'its scores differ from the sums of its cases'
}

/** Names that are hashed at a time. */
const PAGE = 2000

/** How many names there are, or the first problem. */
async function checkNames(db: Sql): Promise<number | string> {
  const state = sql`SELECT case_secret FROM retention WHERE id = 1`
  const secret = await ask(db, onlyRow(state, field('case_secret', asText)))
  let names = 0
  for (let last = ''; ;) {
    const page = sql`SELECT case_key, name FROM score_cases
      WHERE case_key > ${last} ORDER BY case_key LIMIT ${PAGE}`
    const rows = await ask(db, allRows(page, columns({ case_key: asText, name: asText })))
    if (rows.length === 0) return names
    const hashes = await caseHashes(
      secret,
      rows.map(({ name }) => textOfName(name)),
    )
    const wrong = rows.find(({ case_key }, index) => case_key !== hashes[index])
    if (wrong !== undefined) return `the case ${wrong.case_key} has another name than at its import`
    names += rows.length
    last = rows.at(-1)!.case_key
  }
}
