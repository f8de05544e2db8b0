import { Count } from '../scalars.ts'
import { object } from '../model.ts'

/** What a check of a release in use sees of one metric, compared with the release before. */
export const Reading = object({
  'by?': [
    "'same_hours' | 'window' | 'holdback'",
    'What it is compared with: units that a rollout holds back on the release before, the same hours of earlier days, or the runs of the baseline from before the promotion on.',
  ],
  'days?': [Count, 'Of the same hours, how many days.'],
  alarm: [
    "'sequential' | 'exact' | null",
    'By which bound the rise is proven beyond the limit; null where it is not.',
  ],
  baseline_runs: [Count, 'Runs of the baseline that carry the metric.'],
  candidate_runs: [Count, 'The same of the release.'],
  limit: [
    'number',
    'Largest rise that is no regression: of means a fraction, of the error rate a difference.',
  ],
  change: ['number | null', 'The rise as measured, in the same unit; null where that is undefined.'],
  low: [
    'number | null',
    'What the rise is at least, at all checks of 59 in 60 watches; null while nothing is known.',
  ],
  smallest_detectable: [
    'number | null',
    'A rise of which half would be proven by now; null while there are too few runs.',
  ],
})
export type Reading = typeof Reading.infer
