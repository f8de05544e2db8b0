import { type } from 'arktype'
import { Moment, SuiteName, input, oneOf, some } from '../../models/all/input.ts'
import { CaseChanges, CaseState, EstimateOrNull, SuiteStatistics } from '../../models/answers/suites.ts'
import type { CaseTries, ScoreCases } from '../../models/documents/scores.ts'
import { CASE_STATES } from '../../models/names.ts'
import { Checksum, Count, Dimension, Identifier, Instant, NumberOrNull } from '../../models/scalars.ts'
import { object } from '../../models/model.ts'

/** What is said of an import with its cases. */
export interface EvaluationFacts {
  readonly judge_model?: string | undefined
  readonly judge_prompt_sha256?: string | undefined
  readonly judge_rubric_version?: string | undefined
  readonly bundle_checksum?: string | undefined
  /** When it ran, a timestamp. */
  readonly evaluated_at?: string | undefined
}

/** The scores of a suite of cases that a release was evaluated with, apart from its runs. */
export interface ScoreUpload extends EvaluationFacts {
  readonly release_id: string
  readonly suite: string
  readonly format?: string | undefined
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
export const ReceivedCases = object('Cases of an import that is not finished.', {
  import_id: [Identifier, 'Identifier of the import: send it with each further part, and to finish it.'],
  part: [Count, 'Number of the part.'],
  results: [Count, 'How many tries it has.'],
})

const Evaluation = object({
  case_ids: [
    "'given' | 'hashed' | 'mixed' | null",
    'How cases are identified: by ids of the format, or by hashes of their inputs; null if they are not.',
  ],
  results: [Count, 'Tries of all cases.'],
  judge: object('Who judged; null if unknown. Scores by different judges are not compared.', {
    model: ['string | null', 'Model of the judge.'],
    prompt_sha256: ['string | null', 'SHA-256 of its prompt.'],
    rubric_version: ['string | null', 'Version of the rubric.'],
  }).or('null'),
  bundle_checksum: [Checksum.or('null'), 'Checksum of the bundle that it ran against.'],
  evaluated_at: [Instant.or('null'), 'When it ran, as the file says.'],
  human_labels: [Count, 'Tries that a human judged too.'],
  duration_ms: [NumberOrNull, 'Time of all tries together, if reported.'],
  tokens: [NumberOrNull, 'Their tokens.'],
  cost_usd: [NumberOrNull, 'Their cost.'],
  'removed_cases?': [Count, 'How many cases it names that the suite no longer has.'],
})

export const ScoreImport = object('An import of scores, as it is stored.', {
  import_id: [Identifier, 'Identifier of the import.'],
  release_id: [Identifier, 'The release that was evaluated.'],
  suite: ['string', 'Name of the set of cases; the newest import of a suite counts.'],
  format: ['string | null', 'The tool that wrote the file.'],
  source_sha256: ['string | null', 'SHA-256 of that file, in hex.'],
  cases: [Count, 'Number of cases.'],
  scores: object('The sums of the cases, by score.', {
    name: ['string', 'The score.'],
    cases: [Count, 'Cases that have it.'],
    mean: ['number', 'Their mean.'],
  }).array(),
  'evaluation?': [Evaluation, 'Further facts about it; left out if there are none.'],
  actor: ['string', 'Who imported it.'],
  created_at: [Instant, 'When.'],
})
export type ScoreImport = typeof ScoreImport.infer

/** GET /v1/scores */
export const ScoreImportList = object('The imports of scores of a release, newest first, at most 500.', {
  imports: [ScoreImport.array(), 'The imports.'],
})

const Tries = object({
  epochs: [Count, 'How often it was tried.'],
  passed: [NumberOrNull, 'How many of the tries passed; null if unknown.'],
  scores: ['Record<string, number>', 'Mean of its tries, by score.'],
})

/** A case on both sides. */
const ComparedCase = object({
  case: ['string', 'Key of the case: a keyed hash of its id or of its input.'],
  name: ['string | null', 'Id of the case; null if its input identifies it, or if it was forgotten.'],
  state: [CaseState, 'Its state.'],
  baseline: [Tries.or('null'), "The baseline's tries; null if it has none."],
  candidate: [Tries.or('null'), "The candidate's tries; null if it has none."],
  'tags?': ['string[]', "Tags of the candidate's tries, or of the baseline's if it has none; so below."],
  'trace_ids?': ['string[]', 'Traces of the tries.'],
  'duration_ms?': ['number', 'How long the tries took, together.'],
  'tokens?': ['number', 'Tokens of the tries, together.'],
  'cost_usd?': ['number', 'Cost of the tries, together.'],
})
export type ComparedCase = typeof ComparedCase.infer

const ScoreChange = object({
  name: ['string', 'Name of the score.'],
  baseline: [EstimateOrNull, "The baseline's mean over its cases; null if it has none."],
  candidate: [EstimateOrNull, "The candidate's mean over its cases; null if it has none."],
  difference: [EstimateOrNull, 'Candidate minus baseline; if cases are paired, over those of both imports.'],
  verdict: ["'better' | 'worse' | 'no_difference' | 'inconclusive'", 'The verdict of the interval.'],
  inconclusive_because: ['string | null', 'Why it is inconclusive; null otherwise.'],
  'paired_cases?': [Count, 'Cases of both imports; left out if they are not paired.'],
  'mcnemar_p?': [
    NumberOrNull,
    "McNemar's exact p, for cases that pass or fail in one epoch; null otherwise, left out where not paired.",
  ],
  cases_needed: [
    NumberOrNull,
    "Cases of each release with which an unchanged release meets the policy's max_score_drop in 80 of 100 cases; null if no number does.",
  ],
})

/** POST /v1/scores/diff */
export const ScoreDiff = object('The newest imports of a suite for two releases, case by case.', {
  suite: ['string', 'Name of the suite.'],
  agent_id: [Identifier, 'Agent of both releases.'],
  baseline_release_id: [Identifier, 'Baseline.'],
  candidate_release_id: [Identifier, 'Candidate.'],
  baseline: [ScoreImport.or('null'), "The baseline's newest import; null if it has none."],
  candidate: [ScoreImport.or('null'), "The candidate's newest import; null if it has none."],
  scores: [ScoreChange.array(), 'Each score of the suite.'],
  changes: [CaseChanges.or('null'), 'Cases of both imports, by their state; null if they are not compared.'],
  not_compared_because: [
    SuiteStatistics.get('not_compared_because'),
    'Why cases are not compared one by one; null if they are.',
  ],
  only_baseline: [Count, "Cases of the baseline's import that the candidate's lacks."],
  only_candidate: [Count, "Cases of the candidate's import that the baseline's lacks."],
  cases_in_all: [
    Count,
    'How many cases are in the requested states; if passes are unknown, cases with another score.',
  ],
  cases: [ComparedCase.array(), 'These cases, those that broke first.'],
  warnings: ['string[]', 'Warnings about these figures.'],
})
export type ScoreDiff = typeof ScoreDiff.infer

/** GET /v1/scores/suites */
export const SuiteList = object('The suites that releases of an agent were evaluated with.', {
  suites: object('The suites, the one that was imported last first; at most 100.', {
    suite: ['string', 'Name of the suite.'],
    releases: [Count, 'How many releases have an import of it.'],
    release_id: [Identifier, 'The release that it was last imported for.'],
    version: ['string', 'Its version.'],
    import_id: [Identifier, 'Its import.'],
    created_at: [Instant, 'When it was imported.'],
  }).array(),
})

/** GET /v1/scores/suites/{suite} */
export const SuiteHistory = object(
  'A suite over the releases of an agent, and the cases that do not always pass.',
  {
    suite: ['string', 'Name of the suite.'],
    agent_id: [Identifier, 'The agent.'],
    releases: object(
      'The newest import of each release that has one, oldest release first; the newest 50 releases.',
      {
        release_id: [Identifier, 'The release.'],
        version: ['string', 'Its version.'],
        import_id: [Identifier, 'The import.'],
        created_at: [Instant, 'When it was imported.'],
        cases: [Count, 'How many cases it has.'],
        scores: object('Its scores.', {
          name: ['string', 'Name of the score.'],
          mean: [EstimateOrNull, 'Its mean over the cases.'],
        }).array(),
      },
    ).array(),
    compared: object('The last ten of these releases, oldest first.', {
      release_id: [Identifier, 'The release.'],
      version: ['string', 'Its version.'],
      keeps_cases: ['boolean', 'Whether its cases can be identified.'],
    }).array(),
    cases_in_all: [Count, 'How many cases did not pass in one of these releases.'],
    cases: object('These cases, those that fail in the newest release first; at most 200.', {
      case: ['string', 'Key of the case: a keyed hash of its id or of its input.'],
      name: ['string | null', 'Id of the case; null if its input identifies it, or if it was forgotten.'],
      tries: object('The result in each of `compared`; null if it was not tried.', {
        passed: [Count, 'How many of its tries passed.'],
        epochs: [Count, 'How often it was tried.'],
      })
        .or('null')
        .array(),
    }).array(),
  },
)
export type SuiteHistory = typeof SuiteHistory.infer

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
      suite: [SuiteName, 'Name of the set of cases; the newest import of a suite counts.'],
      'format?': [Dimension, 'The tool that wrote the file.'],
      'source_sha256?': [Checksum, 'SHA-256 of that file, in hex.'],
      'cases?': [{ document: 'ScoreCases' }, "The scores of each case, if cases can't be identified."],
      'import_id?': [Dimension, 'In place of cases: an import from POST /v1/scores/cases.'],
      'parts?': [type('1 <= number.integer <= 100000'), 'With import_id: how many parts were sent.'],
      'removed_cases?': [
        some(Identifier).atMostLength(10_000),
        'With import_id: ids of cases that the suite no longer has, so that they are not missing.',
      ],
      'judge_model?': [Dimension, 'Model of the judge. Scores by different judges are not compared.'],
      'judge_prompt_sha256?': [Checksum, "SHA-256 of the judge's prompt, in hex."],
      'judge_rubric_version?': [Dimension, "Version of the judge's rubric."],
      'bundle_checksum?': [Checksum, 'Checksum of the evaluated bundle.'],
      'evaluated_at?': [Moment, 'When the evaluation ran, an ISO-8601 date and time; default now.'],
    },
  }),
  CasesReceive: input({
    body: {
      release_id: [Dimension, 'The release that was evaluated.'],
      suite: [SuiteName, 'Name of the set of cases.'],
      'import_id?': [Dimension, 'The import of the cases; left out, a new one begins.'],
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
      'states?': [some(oneOf(CASE_STATES)), 'Only cases in these states; default all except `passing`.'],
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
