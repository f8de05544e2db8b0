import type { Feature } from '../feature.ts'

/** Scores of runs, and of suites of test cases. */
export const scores: Feature = {
  name: 'scores',
  measure: async () => (await import('./sides.ts')).measure,
  naming: async () => (await import('./sides.ts')).naming,
  checks: async () => (await import('./check.ts')).CHECKS,
  upkeep: async () => (await import('./receive.ts')).forgetUploads,
  removal: async () => (await import('./removal.ts')).removal,
}
