import type { Feature } from '../feature.ts'

/** Proofs of what the audit log holds: digests of events, checkpoints, attestations. */
export const proofs: Feature = {
  name: 'proofs',
  checks: async () => (await import('./digests.ts')).CHECKS,
  upkeep: async () => (await import('./digests.ts')).digestEvents,
  trigger: async () => (await import('./trigger.ts')).trigger,
}
