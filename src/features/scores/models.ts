import { type } from 'arktype'
import { Moment, SuiteName, input, oneOf, some } from '../../models/all/input.ts'
import {
  CHANGES_FIELDS,
  CaseChanges,
  CaseState,
  ESTIMATE,
  EstimateOrNull,
  NAMED_CASE_FIELDS,
  SUITE_FIELDS,
  SuiteStatistics,
} from '../../models/answers/suites.ts'
import { documented, under } from '../../models/docs.ts'
import type { CaseTries, ScoreCases } from '../../models/documents/scores.ts'
import { CASE_STATES } from '../../models/names.ts'
import { Checksum, Count, Dimension, Identifier, Instant, NumberOrNull } from '../../models/scalars.ts'

/** What is said of an import with its cases. */
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
  /** Cases without an identity. */
  readonly cases?: ScoreCases | undefined
  /** Or the import that cases were sent for, in so many parts. */
  readonly import_id?: string | undefined
  readonly parts?: number | undefined
  /** Ids of cases that the suite no longer has. */
  readonly removed_cases?: readonly string[] | undefined
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
  'removed_cases?': Count,
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
  'evaluation.removed_cases': 'How many cases it names that the suite no longer has.',
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

const Tries = type({ epochs: Count, passed: NumberOrNull, scores: 'Record<string, number>' })

const TRIES_FIELDS = {
  epochs: 'How often it was tried.',
  passed: 'How many of the tries passed; null where nothing says so.',
  scores: 'Mean of its tries, by score.',
} as const

/** A case on both sides. */
const ComparedCase = type({
  case: 'string',
  name: 'string | null',
  state: CaseState,
  baseline: Tries.or('null'),
  candidate: Tries.or('null'),
  'tags?': 'string[]',
  'trace_ids?': 'string[]',
  'duration_ms?': 'number',
  'tokens?': 'number',
  'cost_usd?': 'number',
})
export type ComparedCase = typeof ComparedCase.infer

const COMPARED_CASE_FIELDS = {
  case: NAMED_CASE_FIELDS.case,
  name: NAMED_CASE_FIELDS.name,
  state: NAMED_CASE_FIELDS.state,
  baseline: "The baseline's tries; null where it has none.",
  ...under('baseline.', TRIES_FIELDS),
  candidate: "The candidate's tries; null where it has none.",
  ...under('candidate.', TRIES_FIELDS),
  tags: "Tags of the candidate's tries, or where it has none of the baseline's; so below.",
  trace_ids: 'Traces of the tries.',
  duration_ms: 'How long the tries took, together.',
  tokens: 'Tokens of the tries, together.',
  cost_usd: 'Cost of the tries, together.',
} as const

/** How one score of a suite changed. */
const ScoreChange = type({
  name: 'string',
  baseline: EstimateOrNull,
  candidate: EstimateOrNull,
  difference: EstimateOrNull,
  verdict: "'better' | 'worse' | 'no_difference' | 'inconclusive'",
  inconclusive_because: 'string | null',
  'paired_cases?': Count,
  'mcnemar_p?': NumberOrNull,
  cases_needed: NumberOrNull,
})

/** POST /v1/scores/diff */
export const ScoreDiff = type({
  suite: 'string',
  agent_id: Identifier,
  baseline_release_id: Identifier,
  candidate_release_id: Identifier,
  baseline: ScoreImport.or('null'),
  candidate: ScoreImport.or('null'),
  scores: ScoreChange.array(),
  changes: CaseChanges.or('null'),
  not_compared_because: SuiteStatistics.get('not_compared_because'),
  only_baseline: Count,
  only_candidate: Count,
  cases_in_all: Count,
  cases: ComparedCase.array(),
  warnings: 'string[]',
})
export type ScoreDiff = typeof ScoreDiff.infer

export const scoreDiff = documented(ScoreDiff, {
  title: 'ScoreDiff',
  description: 'What the newest imports of a suite say of two releases, case by case.',
  fields: {
    suite: 'Name of the suite.',
    agent_id: 'Agent of both releases.',
    baseline_release_id: 'Release that was compared with.',
    candidate_release_id: 'Release that was judged.',
    baseline: "The baseline's newest import; null where it has none.",
    ...under('baseline.', IMPORT_FIELDS),
    candidate: "The candidate's newest import; null where it has none.",
    ...under('candidate.', IMPORT_FIELDS),
    scores: 'Each score of the suite.',
    'scores[].name': 'Name of the score.',
    'scores[].baseline': "The baseline's mean over its cases; null where it has none.",
    ...under('scores[].baseline.', ESTIMATE),
    'scores[].candidate': 'The same of the candidate.',
    ...under('scores[].candidate.', ESTIMATE),
    'scores[].difference': 'Candidate less baseline; over the cases that both have where they are paired.',
    ...under('scores[].difference.', ESTIMATE),
    'scores[].verdict': 'What the interval says.',
    'scores[].inconclusive_because': 'Why nothing is claimed; null unless the verdict is inconclusive.',
    'scores[].paired_cases': 'Cases that both imports have; left out where they are not paired.',
    'scores[].mcnemar_p':
      "McNemar's exact p, for cases that pass or fail in one epoch; null otherwise, left out where not paired.",
    'scores[].cases_needed':
      "Cases of each side with which an unchanged release keeps the policy's max_score_drop in 80 of 100 cases; null where no number does.",
    changes: SUITE_FIELDS.changes,
    ...under('changes.', CHANGES_FIELDS),
    not_compared_because: SUITE_FIELDS.not_compared_because,
    only_baseline: "Cases of the baseline's import that the candidate's lacks.",
    only_candidate: "Cases of the candidate's import that the baseline's lacks.",
    cases_in_all:
      'How many cases there are in the states that were asked for; without outcomes, whose score differs.',
    cases: 'These cases, those that broke first.',
    ...under('cases[].', COMPARED_CASE_FIELDS),
    warnings: 'What to know before these figures are believed.',
  },
})

/** GET /v1/scores/suites */
export const SuiteList = type({
  suites: type({
    suite: 'string',
    releases: Count,
    release_id: Identifier,
    version: 'string',
    import_id: Identifier,
    created_at: Instant,
  }).array(),
})

export const suiteList = documented(SuiteList, {
  title: 'SuiteList',
  description: 'The suites that releases of an agent were evaluated with.',
  fields: {
    suites: 'The suites, the one that was imported last first; at most 100.',
    'suites[].suite': 'Name of the suite.',
    'suites[].releases': 'How many releases have an import of it.',
    'suites[].release_id': 'The release that it was last imported for.',
    'suites[].version': 'Version of that.',
    'suites[].import_id': 'That import.',
    'suites[].created_at': 'When it was imported.',
  },
})

/** GET /v1/scores/suites/{suite} */
export const SuiteHistory = type({
  suite: 'string',
  agent_id: Identifier,
  releases: type({
    release_id: Identifier,
    version: 'string',
    import_id: Identifier,
    created_at: Instant,
    cases: Count,
    scores: type({ name: 'string', mean: EstimateOrNull }).array(),
  }).array(),
  compared: type({ release_id: Identifier, version: 'string', keeps_cases: 'boolean' }).array(),
  cases_in_all: Count,
  cases: type({
    case: 'string',
    name: 'string | null',
    tries: type({ passed: Count, epochs: Count }).or('null').array(),
  }).array(),
})
export type SuiteHistory = typeof SuiteHistory.infer

export const suiteHistory = documented(SuiteHistory, {
  title: 'SuiteHistory',
  description: 'A suite over the releases of an agent, and the cases that do not always pass.',
  fields: {
    suite: 'Name of the suite.',
    agent_id: 'The agent.',
    releases: 'The newest import of each release that has one, oldest release first; the newest 50 releases.',
    'releases[].release_id': 'The release.',
    'releases[].version': 'Its version.',
    'releases[].import_id': 'The import.',
    'releases[].created_at': 'When it was imported.',
    'releases[].cases': 'How many cases it has.',
    'releases[].scores': 'Its scores.',
    'releases[].scores[].name': 'Name of the score.',
    'releases[].scores[].mean': 'Its mean over the cases.',
    ...under('releases[].scores[].mean.', ESTIMATE),
    compared: 'The last ten of these releases, oldest first.',
    'compared[].release_id': 'The release.',
    'compared[].version': 'Its version.',
    'compared[].keeps_cases': 'Whether its cases can be told apart.',
    cases_in_all: 'How many cases did not pass in one of these releases.',
    cases: 'These cases, those that fail in the newest release first; at most 200.',
    'cases[].case': NAMED_CASE_FIELDS.case,
    'cases[].name': NAMED_CASE_FIELDS.name,
    'cases[].tries': 'What it came to in each of `compared`; null where it was not tried.',
    'cases[].tries[].passed': 'How many of its tries passed.',
    'cases[].tries[].epochs': 'How often it was tried.',
  },
})

export const MODELS = {
  ReceivedCases: receivedCases,
  ScoreDiff: scoreDiff,
  ScoreImport: scoreImport,
  ScoreImportList: scoreImportList,
  SuiteHistory: suiteHistory,
  SuiteList: suiteList,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}

export const PART_NAMES = {
  'ScoreDiff.cases.baseline': 'TriesOfCase',
} as const

/** What the endpoints take. */
export const INPUTS = {
  ScoresList: input({
    query: { release_id: [Dimension, 'Release that was evaluated.'] },
  }),
  ScoresImport: input({
    body: {
      release_id: [Dimension, 'The release that was evaluated.'],
      suite: [SuiteName, 'What the cases are of; the newest import of a suite counts.'],
      'format?': [Dimension, 'What wrote the file that the cases are from.'],
      'source_sha256?': [Checksum, 'SHA-256 of that file, in hex.'],
      'cases?': [{ document: 'ScoreCases' }, "The scores of each case, where cases can't be told apart."],
      'import_id?': [
        Dimension,
        'In place of cases: the import that they were sent for by POST /v1/scores/cases.',
      ],
      'parts?': [type('1 <= number.integer <= 100000'), 'With import_id: how many parts were sent.'],
      'removed_cases?': [
        some(Identifier).atMostLength(10_000),
        'With import_id: ids of cases that the suite no longer has, so that they are not missing.',
      ],
      'judge_model?': [Dimension, 'Model of the judge. Scores by different judges are not compared.'],
      'judge_prompt_sha256?': [Checksum, "SHA-256 of the judge's prompt, in hex."],
      'judge_rubric_version?': [Dimension, 'Version of the rubric that was judged by.'],
      'bundle_checksum?': [Checksum, 'Checksum of the bundle that the evaluation ran against.'],
      'evaluated_at?': [
        Moment,
        'When the evaluation ran, where that was not now: an ISO-8601 date and time.',
      ],
    },
  }),
  CasesReceive: input({
    body: {
      release_id: [Dimension, 'The release that was evaluated.'],
      suite: [SuiteName, 'What the cases are of.'],
      'import_id?': [Dimension, 'The import that the cases are for; a new one unless given.'],
      part: [type('0 <= number.integer <= 100000'), 'Number of the part, from 0.', 0],
      cases: [
        { document: 'CaseTries' },
        'Tries of cases, at most 1,000 in a part; of an import 300,000, of 100,000 cases.',
      ],
    },
  }),
  ScoresDiff: input({
    body: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      suite: [SuiteName, 'The suite.'],
      'states?': [some(oneOf(CASE_STATES)), 'Only cases in these states; all but `passing` unless given.'],
      limit: [type('0 <= number.integer <= 500'), 'Most cases to return.', 20],
      offset: [type('0 <= number.integer <= 100000'), 'How many cases to leave out.', 0],
    },
  }),
  SuitesList: input({
    query: { agent_id: [Dimension, 'The agent.'] },
  }),
  SuiteHistoryShow: input({
    path: { suite: [SuiteName, 'The suite.'] },
    query: { agent_id: [Dimension, 'The agent.'] },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
