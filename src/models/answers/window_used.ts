import { Instant } from '../scalars.ts'
import { object } from '../model.ts'

export const UsedWindow = object(
  'Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate.',
  {
    since: [Instant, 'Start of what was counted, inclusive.'],
    until: [Instant, 'End of what was counted, exclusive.'],
  },
)
export type UsedWindow = typeof UsedWindow.infer
