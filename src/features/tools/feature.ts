import type { Feature } from '../feature.ts'

/** What runs do with tools. */
export const tools: Feature = {
  name: 'tools',
  measure: async () => (await import('./tools.ts')).measure,
}
