import { type } from 'arktype'
import { Count, NumberOrNull } from '../scalars.ts'
import { CASE_STATES } from '../names.ts'
import { object } from '../model.ts'

export const CaseState = type.enumerated(...CASE_STATES)
export const EstimateOrNull = object({
  estimate: ['number', 'As measured.'],
  low: [NumberOrNull, 'Lower end of the interval; null where there is none.'],
  high: [NumberOrNull, 'Upper end of the interval; null where there is none.'],
}).or('null')

/** How many cases of two imports are in which state. */
export const CaseChanges = object({
  newly_failing: [Count, 'Cases that passed in most epochs, and now fail in half of them or more.'],
  newly_passing: [Count, 'Cases that failed, and now pass in every epoch.'],
  still_failing: [Count, 'Cases that failed, and now fail in every epoch.'],
  flaky: [Count, 'Other cases that differ between epochs of the candidate.'],
})

/** What the newest imports of a suite say of its cases. */
export const SuiteStatistics = object({
  suite: ['string', 'Name of the suite.'],
  baseline_import_id: ['string | null', "The baseline's newest import; null if it has none."],
  candidate_import_id: ['string | null', "The candidate's newest import; null if it has none."],
  age_hours: [NumberOrNull, "Age of the candidate's import, or of its evaluation if that is older, hours."],
  bundle: [
    "'same' | 'other' | 'unknown'",
    "Whether the candidate's import names the checksum of the release's bundle.",
  ],
  cases: [NumberOrNull, "Cases of the candidate's import; null if they can't be identified."],
  failing: [NumberOrNull, 'How many of them have an epoch that did not pass; null if passes are unknown.'],
  missing: [NumberOrNull, "Cases of the baseline's import that the candidate's lacks; null if unknown."],
  changes: [CaseChanges.or('null'), 'Cases of both imports, by their state; null if they are not compared.'],
  not_compared_because: [
    "'no_import' | 'no_cases' | 'no_outcomes' | 'few_shared' | 'judges' | null",
    'Why cases are not compared one by one; null if they are.',
  ],
  agreement: object(
    "Whether the judge agrees with people; null if the candidate's import has no labels of people.",
    {
      labels: [Count, 'Tries with a label.'],
      kappa: [EstimateOrNull, "Cohen's κ; null if all labels are the same."],
    },
  ).or('null'),
  listed: object('Cases that do not pass, those that broke first, at most 20.', {
    case: ['string', 'Key of the case.'],
    state: [CaseState, 'Its state.'],
  }).array(),
})
export type SuiteStatistics = typeof SuiteStatistics.infer

export const NamedCase = object({
  suite: ['string', 'The suite.'],
  case: ['string', 'Key of the case: a keyed hash of its id or of its input.'],
  name: ['string | null', 'Id of the case; null if its input identifies it, or if it was forgotten.'],
  state: [CaseState, 'Its state.'],
  'trace_ids?': ['string[]', "Traces of the candidate's tries."],
})
export type NamedCase = typeof NamedCase.infer
