import { badRequest } from '../../base/errors.ts'
import { round12 } from '../../base/numbers.ts'
import { isoTime, parseTimestamp } from '../../base/time.ts'
import { sha256 } from '../../base/bytes.ts'
import type { EvaluationFacts, ScoreImport, ScoreUpload } from './models.ts'
import { MILLION, type ScoreSums, sumsOf } from '../../rules/rollup.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  allRows,
  asJson,
  asNumber,
  asText,
  ask,
  columns,
  firstRow,
  onlyRow,
  listed,
  orNull,
  together,
  insertRow,
} from '../../sql/query.ts'
import { BOUND, holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { NewEntry } from '../../ledger/trail/chain.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { knownRelease, releaseQuery } from '../../ledger/registry/release_facts.ts'
import { type CaseTable, sumsOfCases, tableOf, unpackDetails, usedBy } from './rules_cases.ts'
import type { ImportFacts, SuiteImport } from './rules_suites.ts'
import { namesOf } from './cases.ts'
import { MOST_CASES, caseHashes, caseSecret, textOfName } from './receive.ts'

/** Most scores of an import, and most suites of a release. */
const MOST_SCORES = 50
const MOST_SUITES = 100

/** Imports of a suite of a release whose cases are kept: the newest ones. */
export const KEPT_IMPORTS = 20

/** Most imports that are listed. */
const MOST_LISTED = 500

/** Named, because a newer server may have added others. */
const WITH_FACTS = raw(
  `${BOUND.score_imports.columns.map(column => `i.${column}`).join(', ')}, e.parts, e.facts_json`,
)
const FROM_IMPORTS = raw('score_imports i LEFT JOIN score_evaluations e ON e.import_id = i.import_id')

type ScoresByName = Readonly<Record<string, readonly [number, number, number]>>

/** What an import comes to. */
interface Content {
  readonly cases: number
  readonly scores: ScoresByName
  readonly parts: number
  /** Undefined where nothing is said but scores. */
  readonly facts: ImportFacts | undefined
}

const IMPORT_COLUMNS = {
  import_id: asText,
  release_id: asText,
  suite: asText,
  format: orNull(asText),
  source_sha256: orNull(asText),
  cases: asNumber,
  scores_json: asJson<ScoresByName>,
  actor: asText,
  created_at: asNumber,
  parts: orNull(asNumber),
  facts_json: orNull(asJson<ImportFacts>),
}

const readImport = columns(IMPORT_COLUMNS)

/** An import as it is stored, and what was said with its scores. */
export type StoredImport = ReturnType<typeof readImport>

const readPart = columns({
  part: asNumber,
  results: asNumber,
  cases_json: asText,
  details_json: orNull(asText),
})

type StoredPart = ReturnType<typeof readPart>

const readUpload = columns({ release_id: asText, suite: asText })

/** What an import is made by. */
interface OpenUpload {
  readonly open: ReturnType<typeof readUpload> | undefined
  readonly parts: readonly StoredPart[]
}

/**
 * Stores the scores of a suite of cases that a release was evaluated with: of cases that are given, or of those that were
 * sent for an import before. The newest import of a suite counts; all are kept. What is the newest already is not stored
 * again.
 */
export async function importScores(ledger: Ledger, upload: ScoreUpload, actor: Actor): Promise<ScoreImport> {
  const { release_id, suite, cases, import_id, format, source_sha256 } = upload
  if ((cases === undefined) === (import_id === undefined)) {
    throw badRequest('Give either cases, or the import_id that cases were sent for.')
  }
  const importId = import_id ?? ledger.newId('scr_')
  const given = cases === undefined ? undefined : contentOfGiven(cases, upload)
  const recorded = sql`SELECT ${WITH_FACTS} FROM ${FROM_IMPORTS} WHERE i.import_id = ${importId}`
  const reads = together({
    release: releaseQuery(release_id),
    suites: newestImports([release_id]),
    finished: firstRow(recorded, readImport),
    open: firstRow(
      sql`SELECT release_id, suite FROM score_uploads WHERE import_id = ${importId}`,
      readUpload,
    ),
    parts: allRows(
      sql`SELECT part, results, cases_json, details_json FROM score_parts
        WHERE import_id = ${importId} ORDER BY part`,
      readPart,
    ),
  })
  const known = await writeLogged(ledger, reads, async (found, clock) => {
    const { release, suites, finished } = found
    const { agent_id } = knownRelease(release, release_id)
    // The id of an import of another release or suite says nothing of this one.
    if (import_id !== undefined && finished?.release_id === release_id && finished.suite === suite)
      return { already: finished }
    const content = given ?? (await contentOfParts(ledger, upload, found))
    const scores = JSON.stringify(content.scores)
    const facts = content.facts === undefined ? null : JSON.stringify(content.facts)
    const newest = suites.find(each => each.suite === suite)
    const isKnown =
      newest !== undefined &&
      JSON.stringify(newest.scores_json) === scores &&
      newest.source_sha256 === (source_sha256 ?? null) &&
      (newest.facts_json === null ? null : JSON.stringify(newest.facts_json)) === facts
    if (isKnown) {
      if (import_id !== undefined) await ledger.sql.batch(forgetting(importId))
      return { already: newest }
    }
    if (newest === undefined && suites.length >= MOST_SUITES) {
      throw badRequest(
        `${release_id} has ${MOST_SUITES} suites of scores already, the most that a release can have.`,
      )
    }
    const made = {
      import_id: importId,
      release_id,
      suite,
      format: format ?? null,
      source_sha256: source_sha256 ?? null,
      cases: content.cases,
      scores_json: scores,
      actor: actor.name,
      created_at: clock.now,
    }
    const evaluation =
      facts === null ? [] : [{ import_id: importId, parts: content.parts, facts_json: facts }]
    const holds = {
      ...(await holdsOf('score_imports', [made])),
      ...(await holdsOf('score_evaluations', evaluation)),
    }
    const entry: NewEntry = {
      kind: 'scores.imported',
      subject: importId,
      actor,
      reason: null,
      created_at: ledger.now(),
      fact: null,
      details: { release_id, suite, cases: content.cases, ...holding(holds) },
    }
    return {
      id: importId,
      revises: { agent: agent_id },
      entries: [entry],
      ...(content.parts === 0 ? {} : { provided: unmoved(importId, content.parts) }),
      write: guard => [
        insertRow('score_imports', made, guard),
        ...evaluation.flatMap(row => [
          insertRow('score_evaluations', row, guard),
          sql`DELETE FROM score_uploads WHERE import_id = ${importId} AND ${guard}`,
        ]),
        ...(content.parts === 0 ? [] : keepingNewest(release_id, suite, guard)),
      ],
      done: null,
    }
  })
  return toImport(known ?? (await ask(ledger.sql, onlyRow(recorded, readImport))))
}

/** Parts are only added, and never once the row of the upload is gone. */
function unmoved(importId: string, parts: number): { lock: Statement; holds: Statement } {
  return {
    lock: sql`UPDATE score_uploads SET touched_at = touched_at WHERE import_id = ${importId}`,
    holds: sql`EXISTS (SELECT 1 FROM score_uploads WHERE import_id = ${importId})
      AND (SELECT count(*) FROM score_parts WHERE import_id = ${importId}) = ${parts}`,
  }
}

/** Of older imports the sums stay. */
function keepingNewest(releaseId: string, suite: string, guard: Statement): Statement[] {
  const ofSuite = sql`${FROM_IMPORTS} WHERE i.release_id = ${releaseId} AND i.suite = ${suite} AND e.parts > 0`
  return [
    sql`DELETE FROM score_parts WHERE ${guard} AND import_id IN (SELECT i.import_id FROM ${ofSuite} AND i.seq <=
      (SELECT coalesce(max(seq), 0) FROM (SELECT i.seq FROM ${ofSuite} ORDER BY i.seq DESC
        LIMIT 1 OFFSET ${raw(String(KEPT_IMPORTS))}) AS dropped))`,
  ]
}

function forgetting(importId: string): Statement[] {
  return [
    sql`DELETE FROM score_uploads WHERE import_id = ${importId}`,
    sql`DELETE FROM score_parts WHERE import_id = ${importId}
      AND NOT EXISTS (SELECT 1 FROM score_imports WHERE import_id = ${importId})`,
  ]
}

function contentOfGiven(cases: NonNullable<ScoreUpload['cases']>, upload: ScoreUpload): Content {
  const said = saidOf(upload)
  return {
    cases: cases.length,
    scores: sumsByName(cases),
    parts: 0,
    facts: said && { ...said, results: cases.length },
  }
}

async function contentOfParts(
  ledger: Ledger,
  upload: ScoreUpload,
  { open, parts: rows }: OpenUpload,
): Promise<Content> {
  const { import_id, release_id, suite, parts, removed_cases = [] } = upload
  if (open?.release_id !== release_id || open.suite !== suite) {
    throw badRequest(
      `${import_id} is not an open import of ${suite} for this release; an import without new cases for a day is dropped.`,
    )
  }
  if (parts === undefined) throw badRequest('parts is required with import_id: how many were sent.')
  const missing = Array.from({ length: parts }, (_, part) => part).find(part => rows[part]?.part !== part)
  if (missing !== undefined) {
    throw badRequest(
      `${import_id} has ${rows.length} of ${parts} parts: part ${missing} is missing. Send it again.`,
    )
  }
  if (rows.length > parts) throw badRequest(`${import_id} has ${rows.length} parts, not ${parts}.`)
  const texts = rows.map(({ cases_json }) => cases_json)
  const table = tableOf(texts)
  if (table.doubled !== undefined) {
    const { key, epoch } = table.doubled
    const name = (await namesOf(ledger.sql, [key])).get(key)
    const which =
      name === undefined ? `The case with the same input (${key})` : `Case ${JSON.stringify(name)}`
    throw badRequest(
      `${which} is twice in epoch ${epoch}: give each case its own id, and each try its own epoch.`,
    )
  }
  if (table.keys.length > MOST_CASES) {
    throw badRequest(`An import takes ${MOST_CASES} cases; ${import_id} has ${table.keys.length}.`)
  }
  if (table.scores.size === 0) throw noScore()
  if (table.scores.size > MOST_SCORES) throw tooManyScores(table.scores.size)
  return {
    cases: table.keys.length,
    scores: sumsOfCases(table),
    parts,
    facts: {
      ...(saidOf(upload) ?? NOTHING_SAID),
      ...(await factsOfCases(table, texts)),
      ...usedBy(rows.map(({ details_json }) => usedBy(unpackDetails(details_json)))),
      ...(removed_cases.length === 0 ? {} : { removed: await removedKeys(ledger, removed_cases) }),
    },
  }
}

/** The keys of cases by their ids. */
async function removedKeys(ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  return caseHashes(await caseSecret(ledger), ids.map(textOfName))
}

async function factsOfCases(
  table: CaseTable,
  texts: readonly string[],
): Promise<Pick<ImportFacts, 'case_ids' | 'results' | 'cases_sha256' | 'human_labels'>> {
  const results = table.epochs.reduce((sum, epochs) => sum + epochs, 0)
  const { hashed } = table
  return {
    case_ids: hashed === 0 ? 'given' : hashed === results ? 'hashed' : 'mixed',
    results,
    cases_sha256: await partsHash(texts),
    human_labels: table.agreed.reduce((sum, n) => sum + n, 0),
  }
}

/** What an evaluation holds its parts by. */
export function partsHash(texts: readonly string[]): Promise<string> {
  return sha256(texts.join('\n'))
}

const NOTHING_SAID: ImportFacts = {
  case_ids: null,
  results: 0,
  cases_sha256: null,
  judge: null,
  bundle_checksum: null,
  evaluated_at: null,
  human_labels: 0,
  duration_ms: null,
  tokens: null,
  cost_usd: null,
}

type Nullable = { readonly [name in keyof EvaluationFacts]: string | null | undefined }

/** What is said with the cases; undefined where nothing is. */
function saidOf({ evaluated_at, ...said }: EvaluationFacts): ImportFacts | undefined {
  const { judge_model: model = null, judge_prompt_sha256: prompt_sha256 = null }: Nullable = said
  const { judge_rubric_version: rubric_version = null, bundle_checksum = null }: Nullable = said
  const at = evaluated_at === undefined ? undefined : parseTimestamp(evaluated_at)?.ms
  if (evaluated_at !== undefined && at === undefined) {
    throw badRequest(
      `Invalid evaluated_at ${JSON.stringify(evaluated_at.slice(0, 40))}: use an ISO-8601 date and time.`,
    )
  }
  const isJudged = [model, prompt_sha256, rubric_version].some(part => part !== null)
  const judge = isJudged ? { model, prompt_sha256, rubric_version } : null
  if (judge === null && bundle_checksum === null && at === undefined) return undefined
  return { ...NOTHING_SAID, judge, bundle_checksum, evaluated_at: at ?? null }
}

/** By name, in order of names: equal cases have equal texts. */
function sumsByName(cases: NonNullable<ScoreUpload['cases']>): ScoresByName {
  const scores = Map.groupBy(
    cases.flatMap(each => Object.entries(each)),
    ([name]) => name,
  )
  if (scores.size === 0) throw noScore()
  if (scores.size > MOST_SCORES) throw tooManyScores(scores.size)
  const sums = Array.from(scores, ([name, values]) => {
    const { n, sum, sum_of_squares } = sumsOf(values.map(([, score]) => score))
    return [name, [n, sum, sum_of_squares]] as const
  })
  return Object.fromEntries(sums.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function noScore(): Error {
  return badRequest('No case has a score.')
}

function tooManyScores(names: number): Error {
  return badRequest(`The cases name ${names} scores; at most ${MOST_SCORES} can be imported at once.`)
}

/** The imports of a release, newest first. Throws 400 for an unknown one. */
export async function listScores(
  { sql: db }: Ledger,
  releaseId: string,
): Promise<{ readonly imports: ScoreImport[] }> {
  const { release, imports } = await ask(
    db,
    together({
      release: releaseQuery(releaseId),
      imports: allRows(
        sql`SELECT ${WITH_FACTS} FROM ${FROM_IMPORTS} WHERE i.release_id = ${releaseId}
          ORDER BY i.seq DESC LIMIT ${MOST_LISTED}`,
        readImport,
      ),
    }),
  )
  knownRelease(release, releaseId)
  return { imports: imports.map(toImport) }
}

/** The newest import of each suite of a release. */
export function newestImports(releaseIds: readonly string[]): Query<StoredImport[]> {
  return allRows(
    sql`SELECT ${WITH_FACTS} FROM ${FROM_IMPORTS} WHERE i.seq IN (
      SELECT max(seq) FROM score_imports WHERE release_id IN (${listed(releaseIds)}) GROUP BY release_id, suite) ORDER BY i.suite`,
    readImport,
  )
}

/** The newest import of a suite for each release of an agent, the newest releases first. */
export function suiteImports(
  agentId: string,
  suite: string,
  most: number,
): Query<(StoredImport & { readonly version: string })[]> {
  return allRows(
    sql`SELECT ${WITH_FACTS}, r.version FROM ${FROM_IMPORTS} JOIN releases r ON r.release_id = i.release_id
      WHERE i.seq IN (SELECT max(n.seq) FROM score_imports n JOIN releases o ON o.release_id = n.release_id
        WHERE o.agent_id = ${agentId} AND n.suite = ${suite} GROUP BY n.release_id)
      ORDER BY r.seq DESC LIMIT ${most}`,
    columns({ ...IMPORT_COLUMNS, version: asText }),
  )
}

/** An import as one side of a comparison, without its cases yet. */
export function toSuite(stored: StoredImport): SuiteImport {
  const { suite, import_id, cases, created_at, parts } = stored
  return {
    suite,
    import_id,
    aggregates: sumsIn(stored).map(({ name, ...sums }) => ({ name, cluster: suite, ...sums })),
    cases,
    created_at,
    parts: parts ?? 0,
    facts: stored.facts_json ?? undefined,
    table: undefined,
  }
}

export function toImport(stored: StoredImport): ScoreImport {
  const {
    import_id,
    release_id,
    suite,
    format,
    source_sha256,
    cases,
    actor,
    created_at,
    facts_json: facts,
  } = stored
  return {
    import_id,
    release_id,
    suite,
    format,
    source_sha256,
    cases,
    scores: sumsIn(stored).map(({ name, n, sum }) => ({ name, cases: n, mean: round12(sum / n / MILLION) })),
    ...(facts === null ? {} : { evaluation: toEvaluation(facts) }),
    actor,
    created_at: isoTime(created_at),
  }
}

function toEvaluation({
  cases_sha256: _hash,
  removed,
  ...facts
}: ImportFacts): NonNullable<ScoreImport['evaluation']> {
  const { judge, evaluated_at } = facts
  return {
    ...facts,
    judge: judge === null ? null : { ...judge },
    evaluated_at: evaluated_at === null ? null : isoTime(evaluated_at),
    ...(removed === undefined ? {} : { removed_cases: removed.length }),
  }
}

function sumsIn({ scores_json }: StoredImport): ({ readonly name: string } & ScoreSums)[] {
  return Object.entries(scores_json).map(([name, [n, sum, sum_of_squares]]) => ({
    name,
    n,
    sum,
    sum_of_squares,
  }))
}
