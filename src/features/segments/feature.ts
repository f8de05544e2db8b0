import type { Feature } from '../feature.ts'

/** Tells runs apart by tenant and task: compares releases by them, and says for whom one is worse. */
export const segments: Feature = {
  name: 'segments',
  checks: async () => (await import('./sums.ts')).CHECKS,
  upkeep: async () => (await import('./sums.ts')).upkeep,
  sums: async () => (await import('./sums.ts')).sums,
  measure: async () => (await import('./measure.ts')).measure,
  naming: async () => (await import('./read.ts')).naming,
}
