import { badRequest } from '../../base/errors.ts'
import type { CaseTries } from '../../models/documents/scores.ts'
import type { CasesUpload, ReceivedCases } from './models.ts'
import { keyedHashes } from '../../ledger/events/erased.ts'
import { knownRelease, releaseQuery } from '../../ledger/registry/release_facts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type Sql, type Statement, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import {
  among,
  asFlag,
  ask,
  asNumber,
  asText,
  columns,
  field,
  hasRow,
  onlyRow,
  orNull,
  write,
} from '../../sql/query.ts'
import { type CaseResult, KEY_CHARS, PASS_RATE, packCases } from './rules_cases.ts'

/** Most cases of an import, and most tries of them; a part has at most 1,000. */
export const MOST_CASES = 100_000
const MOST_TRIES = 300_000

/** Most imports of a suite of a release that are being sent at once. */
const MOST_OPEN = 20

/** How long an import that nobody sends a part of is kept. */
export const OPEN_MS = 24 * 3_600_000

/**
 * Takes some cases of an import, which counts once it is finished. A part that came before is not stored again, so it may
 * be sent again after a lost answer. Throws 400 for an unknown release, and for an import that takes no more.
 */
export async function receiveCases(
  ledger: Ledger,
  { release_id, suite, import_id, part = 0, cases }: CasesUpload,
): Promise<typeof ReceivedCases.infer> {
  const { sql: db } = ledger
  knownRelease(await ask(db, releaseQuery(release_id)), release_id)
  const secret = await caseSecret(ledger)
  const results = await toResults(secret, cases)
  const id = import_id ?? ledger.newId('scr_')
  const isOpen = sql`EXISTS (SELECT 1 FROM score_uploads
    WHERE import_id = ${id} AND release_id = ${release_id} AND suite = ${suite})`
  const packed = packCases(results)
  const before = [
    import_id === undefined ? opening(db, id, release_id, suite) : touching(db, id),
    namesStatement(
      cases.flatMap(({ id: name }, index) => (name == null ? [] : [[results[index]!.key, name] as const])),
      isOpen,
    ),
    sql`INSERT INTO score_parts (import_id, part, results, cases_json, details_json)
      SELECT ${id}, CAST(${part} AS BIGINT), CAST(${results.length} AS BIGINT), CAST(${packed.cases} AS TEXT),
        CAST(${packed.details} AS TEXT)
      WHERE ${isOpen} AND ${results.length} + (SELECT coalesce(sum(results), 0) FROM score_parts
        WHERE import_id = ${id}) <= ${MOST_TRIES}
      ON CONFLICT (import_id, part) DO NOTHING`,
  ]
  const there = onlyRow(
    sql`SELECT CAST((SELECT coalesce(sum(results), 0) FROM score_parts WHERE import_id = ${id}) AS BIGINT) AS results,
      CASE WHEN ${isOpen} THEN 1 ELSE 0 END AS is_open,
      (SELECT results FROM score_parts WHERE import_id = ${id} AND part = ${part}) AS part_results`,
    columns({ results: asNumber, is_open: asFlag, part_results: orNull(asNumber) }),
  )
  const { results: all, is_open, part_results } = await write(db, among(before, there))
  if (!is_open) throw badRequest(import_id === undefined ? tooManyOpen(suite) : noMore(import_id))
  if (part_results === null) {
    throw badRequest(
      `An import takes ${MOST_TRIES} tries of cases; ${id} has ${all} and part ${part} would bring ${results.length} more.`,
    )
  }
  return { import_id: id, part, results: part_results }
}

function tooManyOpen(suite: string): string {
  return `${MOST_OPEN} imports of ${suite} are being sent for this release already: finish one, or wait a day.`
}

function noMore(importId: string): string {
  return `${importId} takes no more cases: it is finished, is of another release or suite, or got none for a day. Begin again without import_id.`
}

function opening(db: Sql, id: string, releaseId: string, suite: string): Statement {
  return sql`INSERT INTO score_uploads (import_id, release_id, suite, touched_at)
    SELECT ${id}, ${releaseId}, ${suite}, ${db.clock} WHERE (SELECT count(*) FROM score_uploads
      WHERE release_id = ${releaseId} AND suite = ${suite}) < ${MOST_OPEN}`
}

/** On PostgreSQL it also keeps the import from being finished until the part is in. */
function touching(db: Sql, id: string): Statement {
  return sql`UPDATE score_uploads SET touched_at = ${db.clock} WHERE import_id = ${id}`
}

function namesStatement(
  names: readonly (readonly [key: string, name: string])[],
  guard: Statement,
): Statement {
  // In order of their keys, so that two imports at once don't wait for each other in a circle.
  return sql`INSERT INTO score_cases (case_key, name)
    SELECT DISTINCT value ->> 0, value ->> 1 FROM ${jsonRows(names, 'given')} WHERE ${guard} ORDER BY 1
    ON CONFLICT (case_key) DO NOTHING`
}

/** The key of the hashes of cases, made where there is none yet. Of two that make one at once, one is kept. */
export async function caseSecret({ sql: db, newId }: Pick<Ledger, 'sql' | 'newId'>): Promise<string> {
  const stored = onlyRow(sql`SELECT case_secret FROM retention WHERE id = 1`, field('case_secret', asText))
  const known = await ask(db, stored)
  if (known !== '') return known
  const secret = Array.from({ length: 5 }, () => newId('')).join('')
  const first = sql`UPDATE retention SET case_secret = ${secret} WHERE id = 1 AND case_secret = ''`
  return write(db, among([first], stored))
}

/** What the ledger tells cases by: keyed hashes of texts, half as long as those of erased runs. */
export async function caseHashes(secret: string, texts: readonly string[]): Promise<string[]> {
  const hashes = await keyedHashes({ secret }, texts)
  return hashes.map(hash => hash.slice(0, KEY_CHARS))
}

/** The text that the key of a case with an id is the hash of. */
export function textOfName(name: string): string {
  return `id:${name}`
}

async function toResults(secret: string, cases: CaseTries): Promise<CaseResult[]> {
  const keys = await caseHashes(
    secret,
    cases.map(({ id, input_sha256 }) => (id == null ? `input:${input_sha256!}` : textOfName(id))),
  )
  const named = cases.flatMap(({ cluster }) => cluster ?? [])
  const hashes = await caseHashes(
    secret,
    named.map(name => `cluster:${name}`),
  )
  const clusters = new Map(
    named.map((name, index) => [name, Number.parseInt(hashes[index]!.slice(0, 12), 16)]),
  )
  return cases.map(
    ({ id, input_sha256: _input, epoch = 1, scores, passed, human_passed, cluster, ...details }, index) => ({
      key: keys[index]!,
      isHashed: id == null,
      epoch,
      cluster: cluster == null ? null : clusters.get(cluster)!,
      human: human_passed ?? null,
      scores: { ...(passed == null ? {} : { [PASS_RATE]: Number(passed) }), ...scores },
      details,
    }),
  )
}

/** Forgets imports that nobody has finished in a day. Cheap where there are none. */
export async function forgetUploads({ sql: db }: Pick<Ledger, 'sql'>): Promise<void> {
  const old = sql`touched_at < ${db.clock} - ${OPEN_MS}`
  if (!(await ask(db, hasRow(sql`SELECT 1 FROM score_uploads WHERE ${old} LIMIT 1`)))) return
  await db.batch([
    sql`DELETE FROM score_uploads WHERE ${old}`,
    sql`DELETE FROM score_parts WHERE import_id NOT IN (SELECT import_id FROM score_uploads)
      AND import_id NOT IN (SELECT import_id FROM score_imports)`,
  ])
}
