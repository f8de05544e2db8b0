import type { CaseState } from '../models/names.ts'

/** What became of a case, in words. */
export const CASE_WORDS = {
  newly_failing: 'newly failing',
  flaky: 'flaky',
  still_failing: 'still failing',
  newly_passing: 'newly passing',
  passing: 'passing',
  only_candidate: 'new',
  only_baseline: 'missing',
  lower: 'lower',
  higher: 'higher',
} as const satisfies Readonly<Record<CaseState, string>>
