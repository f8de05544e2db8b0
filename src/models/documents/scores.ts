import { type } from 'arktype'
import { by, caseFits } from '../checks.ts'
import { documented, under } from '../docs.ts'
import {
  Amount,
  Checksum,
  Count,
  Dimension,
  Identifier,
  Instant,
  JsonObject,
  NumberOrNull,
  Scores,
} from '../scalars.ts'

/** Cases of an evaluation at most, where they can't be told apart. */
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

/** Tries of cases in one request, and times that a case may be tried. */
const MOST_TRIES = 1000
const MOST_EPOCHS = 10_000
const MOST_TAGS = 20

/** One try of a case, which is told by its id, or by a hash of its input. */
const CaseTry = JsonObject.and({
  'id?': Identifier.or('null'),
  'input_sha256?': Checksum.or('null'),
  'epoch?': `1 <= number.integer <= ${MOST_EPOCHS}`,
  'scores?': Scores,
  'passed?': 'boolean | null',
  'human_passed?': 'boolean | null',
  'cluster?': Identifier.or('null'),
  'tags?': type('1 <= string <= 64').array().atMostLength(MOST_TAGS).or('null'),
  'duration_ms?': Amount.or('null'),
  'tokens?': Count.or('null'),
  'cost_usd?': Amount.or('null'),
  'trace_id?': Dimension.or('null'),
})
  .onUndeclaredKey('reject')
  .narrow(by(caseFits))
export type CaseTry = typeof CaseTry.infer

/** The cases of POST /v1/scores/cases. */
export const CaseTries = CaseTry.array().atLeastLength(1).atMostLength(MOST_TRIES)
export type CaseTries = typeof CaseTries.infer

const TRY_FIELDS = {
  id: 'What tells the case from others, in every evaluation. Either this or input_sha256.',
  input_sha256: 'SHA-256 of the input of a case without an id, in hex. The ledger keeps a keyed hash of it.',
  epoch: 'Which try of the case it is.',
  scores: 'Its scores by name.',
  passed: 'Whether it passed: the score pass_rate.',
  human_passed: 'Whether a human says that it passes.',
  cluster: 'What it shares with others that depend on it, such as a conversation.',
  tags: 'Words that it is shown with.',
  duration_ms: 'How long it took, ms.',
  tokens: 'Tokens that it used.',
  cost_usd: 'What it cost, USD.',
  trace_id: 'Its trace.',
} as const

export const caseTries = documented(CaseTries, {
  title: 'CaseTries',
  written: true,
  description: 'Tries of cases of an evaluation. Texts of inputs and answers are not taken.',
  fields: under('[].', TRY_FIELDS),
  defaults: { '[].epoch': 1 },
  examples: [
    [
      { id: 'refund-in-italian', passed: true, scores: { faithfulness: 0.92 } },
      { id: 'refund-in-italian', epoch: 2, passed: false, scores: { faithfulness: 0.41 } },
    ],
  ],
})

/** What is said of an import beside its cases. */
export interface EvaluationFacts {
  readonly judge_model?: string | undefined
  readonly judge_prompt_sha256?: string | undefined
  readonly judge_rubric_version?: string | undefined
  /** The bundle that the evaluation ran against. */
  readonly bundle_checksum?: string | undefined
  /** When it ran, a timestamp. */
  readonly evaluated_at?: string | undefined
}

/** The scores of a suite of cases that a release was evaluated with, apart from its runs. */
export interface ScoreUpload extends EvaluationFacts {
  readonly release_id: string
  readonly suite: string
  readonly format?: string | undefined
  /** Of the file that the cases are from. */
  readonly source_sha256?: string | undefined
  /** Cases that can't be told apart. */
  readonly cases?: ScoreCases | undefined
  /** Or the import that cases were sent for, in so many parts. */
  readonly import_id?: string | undefined
  readonly parts?: number | undefined
}

/** Some cases of an import that is not finished. */
export interface CasesUpload {
  readonly release_id: string
  readonly suite: string
  /** The import that was answered for the first part; a new one unless given. */
  readonly import_id?: string | undefined
  readonly part?: number | undefined
  readonly cases: CaseTries
}

/** POST /v1/scores/cases */
export const ReceivedCases = type({ import_id: Identifier, part: Count, results: Count })

export const receivedCases = documented(ReceivedCases, {
  title: 'ReceivedCases',
  description: 'Cases of an import that counts once it is finished.',
  fields: {
    import_id: 'Identifier of the import: it goes with each further part, and finishes it.',
    part: 'Number of the part.',
    results: 'How many tries it has.',
  },
})

const Evaluation = type({
  case_ids: "'given' | 'hashed' | 'mixed' | null",
  results: Count,
  judge: type({ model: 'string | null', prompt_sha256: 'string | null', rubric_version: 'string | null' }).or(
    'null',
  ),
  bundle_checksum: Checksum.or('null'),
  evaluated_at: Instant.or('null'),
  human_labels: Count,
  duration_ms: NumberOrNull,
  tokens: NumberOrNull,
  cost_usd: NumberOrNull,
})

export const ScoreImport = type({
  import_id: Identifier,
  release_id: Identifier,
  suite: 'string',
  format: 'string | null',
  source_sha256: 'string | null',
  cases: Count,
  scores: type({ name: 'string', cases: Count, mean: 'number' }).array(),
  'evaluation?': Evaluation,
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
  evaluation: 'What else was said of it; left out where nothing was.',
  'evaluation.case_ids':
    'Whether cases are told by ids that the format has, or by hashes of their inputs; null where they are not told apart.',
  'evaluation.results': 'Tries of all cases.',
  'evaluation.judge': 'Who judged; null where nobody is named. Scores by different judges are not compared.',
  'evaluation.judge.model': 'Model of the judge.',
  'evaluation.judge.prompt_sha256': 'SHA-256 of its prompt.',
  'evaluation.judge.rubric_version': 'Version of the rubric.',
  'evaluation.bundle_checksum': 'Checksum of the bundle that it ran against.',
  'evaluation.evaluated_at': 'When it ran, as the file says.',
  'evaluation.human_labels': 'Tries that a human judged as well.',
  'evaluation.duration_ms': 'How long all tries took together, of those that say so.',
  'evaluation.tokens': 'Their tokens.',
  'evaluation.cost_usd': 'Their cost.',
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
