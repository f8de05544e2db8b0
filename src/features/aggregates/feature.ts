import type { Feature } from '../feature.ts'

/** Sums of runs that an engine elsewhere has, in place of their events. */
export const aggregates: Feature = {
  name: 'aggregates',
  fed: async () => (await import('./fed.ts')).fed,
  condition: async () => (await import('./fed.ts')).CONDITION,
  checks: async () => (await import('./check.ts')).CHECKS,
  metrics: async () => (await import('./check.ts')).families,
  removal: async () => (await import('./store.ts')).removal,
  rebuild: async () => (await import('./rebuild.ts')).rebuild,
}
