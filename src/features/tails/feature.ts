import type { Feature } from '../feature.ts'

/** Percentiles of the latency. */
export const tails: Feature = {
  name: 'tails',
  measure: async () => (await import('./tails.ts')).measure,
}

/** Percentiles of the time to first token. */
export const firstTokenTails: Feature = {
  name: 'ttft_tails',
  measure: async () => (await import('./tails.ts')).firstTokens,
}

/** How much these rise. */
export const firstTokenTailChanges: Feature = {
  name: 'ttft_tail_changes',
  measure: async () => (await import('./tails.ts')).firstTokenChanges,
}

/** How much they rise over the time in which both releases ran. */
export const tailChanges: Feature = {
  name: 'tail_changes',
  measure: async () => (await import('./tails.ts')).changes,
}
