import { Count } from '../scalars.ts'
import { object } from '../model.ts'

/** What a check of a release in use sees of one metric, compared with the release before. */
export const Reading = object({
  'by?': [
    "'same_hours' | 'window' | 'holdback'",
    "The other side of the comparison: units that a rollout holds back on the release before, the same hours of earlier days, or the baseline's runs before the promotion.",
  ],
  'days?': [Count, 'For the same hours, how many days.'],
  alarm: [
    "'sequential' | 'exact' | null",
    'The bound that proves the rise beyond the limit; null if none does.',
  ],
  baseline_runs: [Count, 'Runs of the baseline that have the metric.'],
  candidate_runs: [Count, 'Runs of the release that have the metric.'],
  limit: ['number', 'Largest rise that is accepted: for means a fraction, for the error rate a difference.'],
  change: ['number | null', 'The measured rise, in the same unit; null if undefined.'],
  low: ['number | null', 'The least true rise, valid at all checks of 59 in 60 watches; null while unknown.'],
  smallest_detectable: [
    'number | null',
    'A rise of which half would be proven by now; null while there are too few runs.',
  ],
})
export type Reading = typeof Reading.infer
