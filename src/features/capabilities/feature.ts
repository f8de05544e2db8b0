import type { Feature } from '../feature.ts'

/** Capabilities of a release: tools, scopes, servers, sub-agents, models; and what its runs did beyond that. */
export const capabilities: Feature = {
  name: 'capabilities',
  checks: async () => (await import('./notices.ts')).CHECKS,
  condition: async () => (await import('./condition.ts')).CONDITION,
  ingest: async () => (await import('./ran.ts')).keepUndeclared,
  rebuild: async () => (await import('./again.ts')).rebuildRan,
  upkeep: async () => (await import('./notices.ts')).reportUndeclared,
}
