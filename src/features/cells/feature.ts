import type { Feature } from '../feature.ts'

/** Sums of runs that an engine elsewhere has, in place of their events. */
export const cells: Feature = {
  name: 'cells',
  fed: async () => (await import('./fed.ts')).fed,
  condition: async () => (await import('./condition.ts')).CONDITION,
  checks: async () => (await import('./check.ts')).CHECKS,
  metrics: async () => (await import('./metrics.ts')).families,
  removal: async () => (await import('./removal.ts')).removal,
  rebuild: async () => (await import('./rebuild.ts')).rebuild,
}
