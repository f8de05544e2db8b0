import { type } from 'arktype'
import { Count } from '../scalars.ts'

/** What a check of a release in use sees of one metric, compared with the release before. */
export const Reading = type({
  'by?': "'same_hours' | 'window' | 'holdback'",
  'days?': Count,
  alarm: "'sequential' | 'exact' | null",
  baseline_runs: Count,
  candidate_runs: Count,
  limit: 'number',
  change: 'number | null',
  low: 'number | null',
  smallest_detectable: 'number | null',
})
export type Reading = typeof Reading.infer

export const READING_FIELDS = {
  by: 'What it is compared with: units that a rollout holds back on the release before, the same hours of earlier days, or the runs of the baseline from before the promotion on.',
  days: 'Of the same hours, how many days.',
  alarm: 'By which bound the rise is proven beyond the limit; null where it is not.',
  baseline_runs: 'Runs of the baseline that carry the metric.',
  candidate_runs: 'The same of the release.',
  limit: 'Largest rise that is no regression: of means a fraction, of the error rate a difference.',
  change: 'The rise as measured, in the same unit; null where that is undefined.',
  low: 'What the rise is at least, at all checks of 59 in 60 watches; null while nothing is known.',
  smallest_detectable: 'A rise of which half would be proven by now; null while there are too few runs.',
} as const
