import { type } from 'arktype'
import { Instant } from '../scalars.ts'

/** What was counted of a window, where that is not all of it. */
export const UsedWindow = type({ since: Instant, until: Instant })
export type UsedWindow = typeof UsedWindow.infer

/** What the field says, wherever it is. */
export const WINDOW_USED_FIELDS = {
  window_used:
    'Only where run events at the ends of the window were pruned or erased, or are kept as sums: what was counted, in whole minutes, in ten of them where percentiles are read, or in hours where sums are by the hour. It ends where both sides are complete. Of intervals that hold at all looks it begins at the first run of the candidate.',
  'window_used.since': 'Start of what was counted, inclusive.',
  'window_used.until': 'End of what was counted, exclusive.',
} as const
