import type { Feature } from '../feature.ts'

/** Takes in runs as OpenTelemetry spans, and keeps spans until their run comes. */
export const traces: Feature = {
  name: 'traces',
  checks: async () => (await import('./check.ts')).CHECKS,
  metrics: async () => (await import('./check.ts')).families,
  upkeep: async () => (await import('./kept_spans.ts')).keepSpans,
}
