import type { Feature } from '../feature.ts'

/** Conditions on a promotion from service.yaml: freezes, and environments that come before others. */
export const conditions: Feature = {
  name: 'conditions',
  condition: async () => (await import('./condition.ts')).CONDITION,
}
