import type { Feature } from '../feature.ts'

/** Rolls a release out step by step next to the live one, and promotes it at the end. */
export const rollouts: Feature = {
  name: 'rollouts',
  checks: async () => (await import('./check.ts')).CHECKS,
  concerns: async () => (await import('./rows.ts')).CONCERNS,
  ingest: async () => (await import('./counting.ts')).counting,
  decision: async () => (await import('./change.ts')).decision,
  holdbackArms: async () => (await import('./split.ts')).holdbackArms,
  split: async () => (await import('./split.ts')).split,
  trigger: async () => (await import('./tick.ts')).trigger,
  upkeep: async () => (await import('./tick.ts')).forgetUnits,
}
