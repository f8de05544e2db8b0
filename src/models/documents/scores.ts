import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { Count, Identifier, Instant, Scores } from '../scalars.ts'

/** Cases of an evaluation at most. */
const MOST_CASES = 50_000

/** The cases of POST /v1/scores. */
export const ScoreCases = Scores.array().atLeastLength(1).atMostLength(MOST_CASES)
export type ScoreCases = typeof ScoreCases.infer

export const scoreCases = documented(ScoreCases, {
  title: 'ScoreCases',
  written: true,
  description:
    'The scores of each case of an evaluation by name; pass_rate is 1 for a case that passed and 0 for others.',
  fields: {},
  examples: [
    [
      { pass_rate: 1, faithfulness: 0.92 },
      { pass_rate: 0, faithfulness: 0.41 },
    ],
  ],
})

/** The scores of a suite of cases that a release was evaluated with, apart from its runs. */
export interface ScoreUpload {
  readonly release_id: string
  readonly suite: string
  readonly format?: string | undefined
  /** Of the file that the cases are from. */
  readonly source_sha256?: string | undefined
  readonly cases: ScoreCases
}

export const ScoreImport = type({
  import_id: Identifier,
  release_id: Identifier,
  suite: 'string',
  format: 'string | null',
  source_sha256: 'string | null',
  cases: Count,
  scores: type({ name: 'string', cases: Count, mean: 'number' }).array(),
  actor: 'string',
  created_at: Instant,
})
export type ScoreImport = typeof ScoreImport.infer

const IMPORT_FIELDS = {
  import_id: 'Identifier of the import.',
  release_id: 'The release that was evaluated.',
  suite: 'What the cases are of; the newest import of a suite counts.',
  format: 'What wrote the file that the cases are from.',
  source_sha256: 'SHA-256 of that file, in hex.',
  cases: 'How many cases there were.',
  scores: 'What the cases add up to, by score.',
  'scores[].name': 'The score.',
  'scores[].cases': 'Cases that have it.',
  'scores[].mean': 'Their mean.',
  actor: 'Who imported it.',
  created_at: 'When.',
} as const

export const scoreImport = documented(ScoreImport, {
  title: 'ScoreImport',
  description: 'An import of scores, as it is stored.',
  fields: IMPORT_FIELDS,
})

/** GET /v1/scores */
export const ScoreImportList = type({ imports: ScoreImport.array() })

export const scoreImportList = documented(ScoreImportList, {
  title: 'ScoreImportList',
  description: 'The imports of scores of a release, newest first, at most 500.',
  fields: { imports: 'The imports.', ...under('imports[].', IMPORT_FIELDS) },
})
