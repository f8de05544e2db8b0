import { badRequest } from '../../base/errors.ts'
import { round12 } from '../../base/numbers.ts'
import { type ScoreSums, MILLION, sumsOf } from '../../rules/millionths.ts'
import type { ScoreImport, ScoreUpload } from '../../models/documents/scores.ts'
import type { ScoreSide } from './rules_statistics.ts'
import { sql } from '../../sql/port.ts'
import {
  type Query,
  NOTHING,
  allRows,
  asNumber,
  ask,
  asText,
  asTime,
  columns,
  firstRow,
  orNull,
  together,
} from '../../sql/query.ts'
import { holding, holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { NewEntry } from '../../ledger/trail/log.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import { knownRelease, releaseQuery } from '../../ledger/registry/release_facts.ts'

/** Most scores of an import, and most suites of a release. */
const MOST_SCORES = 50
const MOST_SUITES = 100

/** Most imports that are listed. */
const MOST_LISTED = 500

/** Named, because a newer server may have added others. */
const IMPORT = sql`import_id, release_id, suite, format, source_sha256, cases, scores_json, actor, created_at`

const readImport = columns({
  import_id: asText,
  release_id: asText,
  suite: asText,
  format: orNull(asText),
  source_sha256: orNull(asText),
  cases: asNumber,
  scores_json: asText,
  actor: asText,
  created_at: asTime,
})

/** An import as it is stored. */
export type StoredImport = ReturnType<typeof readImport>

/**
 * Stores the scores of a suite of cases that a release was evaluated with. The newest import of a suite counts; all are
 * kept. What is the newest already is not stored again.
 */
export async function importScores(
  ledger: Ledger,
  { release_id, suite, format, source_sha256, cases }: ScoreUpload,
  actor: Actor,
): Promise<ScoreImport> {
  const scores = JSON.stringify(sumsByName(cases))
  const { release, suites } = await ask(
    ledger.sql,
    together({ release: releaseQuery(release_id), suites: newestImports(release_id) }),
  )
  knownRelease(release, release_id)
  const newest = suites.find(row => row.suite === suite)
  if (newest?.scores_json === scores && newest.source_sha256 === (source_sha256 ?? null))
    return toImport(newest)
  if (newest === undefined && suites.length >= MOST_SUITES) {
    throw badRequest(
      `${release_id} has ${MOST_SUITES} suites of scores already, which is the most a release can have.`,
    )
  }
  const importId = ledger.newId('scr_')
  const recorded = sql`SELECT ${IMPORT} FROM score_imports WHERE import_id = ${importId}`
  const made = {
    import_id: importId,
    release_id,
    suite,
    format: format ?? null,
    source_sha256: source_sha256 ?? null,
    cases: cases.length,
    scores_json: scores,
    actor: actor.name,
    created_at: ledger.now(),
  }
  const holds = await holdsOf('score_imports', [made])
  const entry: NewEntry = {
    kind: 'scores.imported',
    subject: importId,
    actor,
    reason: null,
    created_at: made.created_at,
    fact: null,
    details: { release_id, suite, cases: cases.length, ...holding(holds) },
  }
  const stored = await writeLogged(ledger, NOTHING, () => ({
    id: importId,
    revises: false,
    entries: [entry],
    write: guard =>
      firstRow(
        sql`INSERT INTO score_imports (
          import_id, release_id, suite, format, source_sha256, cases, scores_json, actor, created_at)
        SELECT ${importId}, ${release_id}, ${suite}, CAST(${made.format} AS TEXT), CAST(${made.source_sha256} AS TEXT),
          CAST(${cases.length} AS BIGINT), ${scores}, ${actor.name}, CAST(${made.created_at} AS BIGINT)
        WHERE ${guard} RETURNING ${IMPORT}`,
        readImport,
      ),
    recorded: () => ask(ledger.sql, firstRow(recorded, readImport)),
  }))
  return toImport(stored)
}

/** By name, in order of names: equal cases have equal texts. */
function sumsByName(cases: ScoreUpload['cases']): Record<string, readonly [number, number, number]> {
  const scores = Map.groupBy(
    cases.flatMap(each => Object.entries(each)),
    ([name]) => name,
  )
  if (scores.size === 0) throw badRequest('No case has a score.')
  if (scores.size > MOST_SCORES) {
    throw badRequest(`The cases name ${scores.size} scores; at most ${MOST_SCORES} can be imported at once.`)
  }
  const sums = Array.from(scores, ([name, values]) => {
    const { n, sum, sum_of_squares } = sumsOf(values.map(([, score]) => score))
    return [name, [n, sum, sum_of_squares]] as const
  })
  return Object.fromEntries(sums.sort(([a], [b]) => (a < b ? -1 : 1)))
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
        sql`SELECT ${IMPORT} FROM score_imports WHERE release_id = ${releaseId} ORDER BY seq DESC LIMIT ${MOST_LISTED}`,
        readImport,
      ),
    }),
  )
  knownRelease(release, releaseId)
  return { imports: imports.map(toImport) }
}

/** The newest import of each suite of a release. */
export function newestImports(releaseId: string): Query<StoredImport[]> {
  return allRows(
    sql`SELECT ${IMPORT} FROM score_imports
      WHERE seq IN (SELECT max(seq) FROM score_imports WHERE release_id = ${releaseId} GROUP BY suite) ORDER BY suite`,
    readImport,
  )
}

/** An import as one side of a comparison: its cases don't depend on each other. */
export function toSuite(stored: StoredImport): ScoreSide['suites'][number] {
  const { suite, import_id } = stored
  return {
    suite,
    import_id,
    cells: sumsIn(stored).map(({ name, ...sums }) => ({ name, cluster: suite, ...sums })),
  }
}

function toImport(stored: StoredImport): ScoreImport {
  const { scores_json: _scores, actor, created_at, ...named } = stored
  return {
    ...named,
    scores: sumsIn(stored).map(({ name, n, sum }) => ({ name, cases: n, mean: round12(sum / n / MILLION) })),
    actor,
    created_at,
  }
}

function sumsIn({ scores_json }: StoredImport): ({ readonly name: string } & ScoreSums)[] {
  const scores = JSON.parse(scores_json) as Record<string, readonly [number, number, number]>
  return Object.entries(scores).map(([name, [n, sum, sum_of_squares]]) => ({ name, n, sum, sum_of_squares }))
}
