import type { Feature } from '../feature.ts'

/** Percentiles of the latency. */
export const tails: Feature = {
  name: 'tails',
  measure: async () => (await import('./tails.ts')).measure,
}

/** How much they rise over the time in which both releases ran. */
export const tailChanges: Feature = {
  name: 'tail_changes',
  measure: async () => (await import('./tails.ts')).changes,
}
