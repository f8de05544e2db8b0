import type { Feature } from '../feature.ts'

/** When providers switch models off that live releases name. */
export const retirements: Feature = {
  name: 'retirements',
  checks: async () => (await import('./check.ts')).CHECKS,
  condition: async () => (await import('./known.ts')).CONDITION,
}
