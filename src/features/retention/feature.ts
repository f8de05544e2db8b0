import type { Feature } from '../feature.ts'

/** Prunes, erases and restores run events. */
export const retention: Feature = {
  name: 'retention',
  checks: async () => (await import('./check.ts')).CHECKS,
}
