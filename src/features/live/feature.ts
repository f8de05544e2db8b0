import type { Feature } from '../feature.ts'

/** Judges live releases by their own runs. It only reports. */
export const live: Feature = {
  name: 'live',
  upkeep: async () => (await import('./findings.ts')).noteFindings,
  metrics: async () => (await import('./findings.ts')).families,
}
