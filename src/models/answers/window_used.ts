import { Instant } from '../scalars.ts'
import { object } from '../model.ts'

export const UsedWindow = object(
  'Only if run events at the ends of the window were pruned or erased, or are stored as sums: the counted window, in whole minutes, in steps of ten if percentiles are read, or in hours if sums are by the hour. It ends when both releases are complete. For sequential intervals it begins at the first run of the candidate.',
  {
    since: [Instant, 'Start of the counted window, inclusive.'],
    until: [Instant, 'End of the counted window, exclusive.'],
  },
)
export type UsedWindow = typeof UsedWindow.infer
