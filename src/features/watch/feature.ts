import type { Feature } from '../feature.ts'

/** Checks a release for a while after its promotion, and may roll it back. */
export const watch: Feature = {
  name: 'watch',
  checks: async () => (await import('./claim.ts')).CHECKS,
  concerns: async () => (await import('./claim.ts')).BASELINES,
  decision: async () => (await import('./begin.ts')).decision,
  removal: async () => (await import('./claim.ts')).removal,
  trigger: async () => (await import('./tick.ts')).trigger,
}
