import { input, limitField } from '../../models/all/input.ts'
import { Count, Dimension } from '../../models/scalars.ts'

/** What the endpoints take. */
export const INPUTS = {
  PolicyHistoryList: input({
    query: {
      ...limitField('entries'),
      'after?': [Count, 'Only entries older than this seq: pass next_after to get the next page.'],
    },
  }),
  PolicyDiffShow: input({
    query: {
      'from?': [Dimension, 'The one, as ID@SEQ of the history; the one before `to` unless given.'],
      'to?': [Dimension, 'The other; the policy in force unless given.'],
    },
  }),
  PricingHistory: input({
    query: {
      'provider?': [Dimension, 'Only tables of this provider.'],
      'pricing_version?': [Dimension, 'Only tables of this version.'],
      ...limitField('entries'),
      'after?': [Count, 'Only entries older than this seq: pass next_after to get the next page.'],
    },
  }),
} as const
type FeatureInputs = typeof INPUTS

declare module '../../models/all/input.ts' {
  interface Inputs extends FeatureInputs {}
}
