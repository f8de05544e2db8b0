import { type } from 'arktype'
import { under } from '../docs.ts'
import { Count, NumberOrNull } from '../scalars.ts'
import { CASE_STATES } from '../names.ts'

export const CaseState = type.enumerated(...CASE_STATES)
export const EstimateOrNull = type({ estimate: 'number', low: NumberOrNull, high: NumberOrNull }).or('null')

export const ESTIMATE = {
  estimate: 'As measured.',
  low: 'Lower end of the interval; null where there is none.',
  high: 'Upper end of the interval; null where there is none.',
} as const

/** How many cases of two imports are in which state. */
export const CaseChanges = type({
  newly_failing: Count,
  newly_passing: Count,
  still_failing: Count,
  flaky: Count,
})

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
  changes: CaseChanges.or('null'),
  not_compared_because: "'no_import' | 'no_cases' | 'no_outcomes' | 'few_shared' | 'judges' | null",
  agreement: type({ labels: Count, kappa: EstimateOrNull }).or('null'),
  listed: type({ case: 'string', state: CaseState }).array(),
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
  state: CaseState,
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
