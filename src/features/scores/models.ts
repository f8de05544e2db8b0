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
export const ReceivedCases = object('Cases of an import that counts once it is finished.', {
  import_id: [Identifier, 'Identifier of the import: it goes with each further part, and finishes it.'],
  part: [Count, 'Number of the part.'],
  results: [Count, 'How many tries it has.'],
})

const Evaluation = object({
  case_ids: [
    "'given' | 'hashed' | 'mixed' | null",
    'Whether cases are told by ids that the format has, or by hashes of their inputs; null where they are not told apart.',
  ],
  results: [Count, 'Tries of all cases.'],
  judge: object('Who judged; null where nobody is named. Scores by different judges are not compared.', {
    model: ['string | null', 'Model of the judge.'],
    prompt_sha256: ['string | null', 'SHA-256 of its prompt.'],
    rubric_version: ['string | null', 'Version of the rubric.'],
  }).or('null'),
  bundle_checksum: [Checksum.or('null'), 'Checksum of the bundle that it ran against.'],
  evaluated_at: [Instant.or('null'), 'When it ran, as the file says.'],
  human_labels: [Count, 'Tries that a human judged as well.'],
  duration_ms: [NumberOrNull, 'How long all tries took together, of those that say so.'],
  tokens: [NumberOrNull, 'Their tokens.'],
  cost_usd: [NumberOrNull, 'Their cost.'],
  'removed_cases?': [Count, 'How many cases it names that the suite no longer has.'],
})

export const ScoreImport = object('An import of scores, as it is stored.', {
  import_id: [Identifier, 'Identifier of the import.'],
  release_id: [Identifier, 'The release that was evaluated.'],
  suite: ['string', 'What the cases are of; the newest import of a suite counts.'],
  format: ['string | null', 'What wrote the file that the cases are from.'],
  source_sha256: ['string | null', 'SHA-256 of that file, in hex.'],
  cases: [Count, 'How many cases there were.'],
  scores: object('What the cases add up to, by score.', {
    name: ['string', 'The score.'],
    cases: [Count, 'Cases that have it.'],
    mean: ['number', 'Their mean.'],
  }).array(),
  'evaluation?': [Evaluation, 'What else was said of it; left out where nothing was.'],
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
  passed: [NumberOrNull, 'How many of the tries passed; null where nothing says so.'],
  scores: ['Record<string, number>', 'Mean of its tries, by score.'],
})

/** A case on both sides. */
const ComparedCase = object({
  case: ['string', 'Key of the case: a keyed hash of its id or of its input.'],
  name: ['string | null', 'Id of the case; null where its input identifies it, or where it is forgotten.'],
  state: [CaseState, 'What became of it.'],
  baseline: [Tries.or('null'), "The baseline's tries; null where it has none."],
  candidate: [Tries.or('null'), "The candidate's tries; null where it has none."],
  'tags?': ['string[]', "Tags of the candidate's tries, or where it has none of the baseline's; so below."],
  'trace_ids?': ['string[]', 'Traces of the tries.'],
  'duration_ms?': ['number', 'How long the tries took, together.'],
  'tokens?': ['number', 'Tokens of the tries, together.'],
  'cost_usd?': ['number', 'Cost of the tries, together.'],
})
export type ComparedCase = typeof ComparedCase.infer

/** How one score of a suite changed. */
const ScoreChange = object({
  name: ['string', 'Name of the score.'],
  baseline: [EstimateOrNull, "The baseline's mean over its cases; null where it has none."],
  candidate: [EstimateOrNull, 'The same of the candidate.'],
  difference: [
    EstimateOrNull,
    'Candidate less baseline; over the cases that both have where they are paired.',
  ],
  verdict: ["'better' | 'worse' | 'no_difference' | 'inconclusive'", 'What the interval says.'],
  inconclusive_because: ['string | null', 'Why it is inconclusive; null otherwise.'],
  'paired_cases?': [Count, 'Cases that both imports have; left out where they are not paired.'],
  'mcnemar_p?': [
    NumberOrNull,
    "McNemar's exact p, for cases that pass or fail in one epoch; null otherwise, left out where not paired.",
  ],
  cases_needed: [
    NumberOrNull,
    "Cases of each side with which an unchanged release keeps the policy's max_score_drop in 80 of 100 cases; null where no number does.",
  ],
})

/** POST /v1/scores/diff */
export const ScoreDiff = object('What the newest imports of a suite say of two releases, case by case.', {
  suite: ['string', 'Name of the suite.'],
  agent_id: [Identifier, 'Agent of both releases.'],
  baseline_release_id: [Identifier, 'Release that was compared with.'],
  candidate_release_id: [Identifier, 'Release that was judged.'],
  baseline: [ScoreImport.or('null'), "The baseline's newest import; null where it has none."],
  candidate: [ScoreImport.or('null'), "The candidate's newest import; null where it has none."],
  scores: [ScoreChange.array(), 'Each score of the suite.'],
  changes: [
    CaseChanges.or('null'),
    'Cases that both imports have, by what became of them; null where they are not compared.',
  ],
  not_compared_because: [
    SuiteStatistics.get('not_compared_because'),
    'Why cases are not compared one by one; null where they are.',
  ],
  only_baseline: [Count, "Cases of the baseline's import that the candidate's lacks."],
  only_candidate: [Count, "Cases of the candidate's import that the baseline's lacks."],
  cases_in_all: [
    Count,
    'How many cases there are in the states that were asked for; without outcomes, whose score differs.',
  ],
  cases: [ComparedCase.array(), 'These cases, those that broke first.'],
  warnings: ['string[]', 'What to know before these figures are believed.'],
})
export type ScoreDiff = typeof ScoreDiff.infer

/** GET /v1/scores/suites */
export const SuiteList = object('The suites that releases of an agent were evaluated with.', {
  suites: object('The suites, the one that was imported last first; at most 100.', {
    suite: ['string', 'Name of the suite.'],
    releases: [Count, 'How many releases have an import of it.'],
    release_id: [Identifier, 'The release that it was last imported for.'],
    version: ['string', 'Version of that.'],
    import_id: [Identifier, 'That import.'],
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
      keeps_cases: ['boolean', 'Whether its cases can be told apart.'],
    }).array(),
    cases_in_all: [Count, 'How many cases did not pass in one of these releases.'],
    cases: object('These cases, those that fail in the newest release first; at most 200.', {
      case: ['string', 'Key of the case: a keyed hash of its id or of its input.'],
      name: [
        'string | null',
        'Id of the case; null where its input identifies it, or where it is forgotten.',
      ],
      tries: object('What it came to in each of `compared`; null where it was not tried.', {
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
