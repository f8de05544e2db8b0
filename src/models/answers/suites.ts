import { type } from 'arktype'
import { documented, under } from '../docs.ts'
import { Count, Identifier, Instant, NumberOrNull } from '../scalars.ts'
import { CASE_STATES } from '../names.ts'
import { ScoreImport, scoreImport } from '../documents/scores.ts'

const Number = type('number')
const State = type.enumerated(...CASE_STATES)
const EstimateOrNull = type({ estimate: Number, low: NumberOrNull, high: NumberOrNull }).or('null')

const ESTIMATE = {
  estimate: 'As measured.',
  low: 'Lower end of the interval; null where there is none.',
  high: 'Upper end of the interval; null where there is none.',
} as const

/** How many cases of two imports are in which state. */
const Changes = type({ newly_failing: Count, newly_passing: Count, still_failing: Count, flaky: Count })

export const CHANGES_FIELDS = {
  newly_failing: 'Cases that passed in most epochs, and now fail in half of them or more.',
  newly_passing: 'Cases that failed, and now pass in every epoch.',
  still_failing: 'Cases that failed, and now fail in every epoch.',
  flaky: 'Other cases that differ between epochs of the candidate.',
} as const

/** What the newest imports of a suite say of its cases. */
export const SuiteStatistics = type({
  suite: 'string',
  baseline_import_id: 'string | null',
  candidate_import_id: 'string | null',
  age_hours: NumberOrNull,
  bundle: "'same' | 'other' | 'unknown'",
  cases: NumberOrNull,
  failing: NumberOrNull,
  missing: NumberOrNull,
  changes: Changes.or('null'),
  not_compared_because: "'no_import' | 'no_cases' | 'no_outcomes' | 'few_shared' | 'judges' | null",
  agreement: type({ labels: Count, kappa: EstimateOrNull }).or('null'),
  listed: type({ case: 'string', state: State }).array(),
})
export type SuiteStatistics = typeof SuiteStatistics.infer

export const SUITE_FIELDS = {
  suite: 'Name of the suite.',
  baseline_import_id: "The baseline's newest import; null where it has none.",
  candidate_import_id: "The candidate's newest import; null where it has none.",
  age_hours: "Age of the candidate's import, or of its evaluation where that is older, hours.",
  bundle: "Whether the candidate's import names the checksum of the release's bundle.",
  cases: "Cases of the candidate's import; null where they can't be told apart.",
  failing: 'Of these, cases with an epoch that did not pass; null where nothing says what passed.',
  missing: "Cases of the baseline's import that the candidate's lacks; null where that can't be told.",
  changes: 'Cases that both imports have, by what became of them; null where they are not compared.',
  ...under('changes.', CHANGES_FIELDS),
  not_compared_because: 'Why cases are not compared one by one; null where they are.',
  agreement: "Whether the judge agrees with people; null where the candidate's import has no labels of them.",
  'agreement.labels': 'Tries with a label.',
  'agreement.kappa': "Cohen's κ; null where all labels are the same.",
  ...under('agreement.kappa.', ESTIMATE),
  listed: 'Cases that do not pass, those that broke first, at most 20.',
  'listed[].case': 'Key of the case.',
  'listed[].state': 'What became of it.',
} as const

/** A case by its name, for a reader. */
export const NamedCase = type({
  suite: 'string',
  case: 'string',
  name: 'string | null',
  state: State,
  'trace_ids?': 'string[]',
})
export type NamedCase = typeof NamedCase.infer

export const NAMED_CASE_FIELDS = {
  suite: 'The suite.',
  case: 'Key of the case: a keyed hash of its id or of its input.',
  name: 'Id of the case; null where its input identifies it, or where it is forgotten.',
  state: 'What became of it.',
  trace_ids: "Traces of the candidate's tries.",
} as const

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
  state: State,
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
  changes: Changes.or('null'),
  not_compared_because: SuiteStatistics.get('not_compared_because'),
  only_baseline: Count,
  only_candidate: Count,
  cases_in_all: Count,
  cases: ComparedCase.array(),
  warnings: 'string[]',
})
export type ScoreDiff = typeof ScoreDiff.infer

const IMPORT_FIELDS = scoreImport.docs.fields

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
