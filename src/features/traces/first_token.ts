import { isKept, keep } from '../../spans/keep.ts'
import type { AttributeValue, Span } from '../../spans/span.ts'

/**
 * Attributes of a call that say how long its first token took: seconds by OpenTelemetry's conventions and vLLM
 * (`gen_ai.server.time_to_first_token`, `gen_ai.client.operation.time_to_first_chunk`), milliseconds by AI SDK 5 and 6
 * (`ai.response.msToFirstChunk`).
 */
const SAYS = /to_?first/i

/** Whether {@link keepForRun} may take an attribute. */
export function isKeptForRun(name: string): boolean {
  return SAYS.test(name) || isKept(name)
}

/** Takes an attribute that a run is made of: `keep` takes those that recorders read too. */
export function keepForRun(into: Record<string, AttributeValue>, name: string, value: unknown): void {
  if (SAYS.test(name)) into[name] = Number(value)
  else keep(into, name, value)
}

/** When the first token of a call came, epoch ms; undefined where its span doesn't say, or says what can't be. */
export function firstTokenOf({ attributes, endMs, latencyMs }: Span): number | undefined {
  for (const [name, value] of Object.entries(attributes)) {
    if (!SAYS.test(name) || typeof value !== 'number') continue
    const took = value * (name.includes('msTo') ? 1 : 1000)
    if (took >= 0 && took <= latencyMs) return endMs - latencyMs + Math.round(took)
  }
  return undefined
}
