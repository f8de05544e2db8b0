import type { Feature } from '../feature.ts'

/** Percentiles of the latency. */
export const tails: Feature = {
  name: 'tails',
  measure: async () => (await import('./tails.ts')).measure,
}
