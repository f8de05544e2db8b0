import { isKept, keep } from '../../spans/keep.ts'
import type { AttributeValue, Span } from '../../spans/span.ts'
import { isCall, reportsTokens } from '../../spans/use.ts'

/** What is kept: a bit more than {@link UNITS_MS}, as the decoder has to be small. */
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

/**
 * Attributes of a call that say how long its first token took, and their unit in ms: seconds by OpenTelemetry's
 * conventions and vLLM, milliseconds by AI SDK 5 and 6.
 */
const UNITS_MS: Readonly<Record<string, number>> = {
  'gen_ai.response.time_to_first_chunk': 1000,
  'gen_ai.client.operation.time_to_first_chunk': 1000,
  'gen_ai.server.time_to_first_token': 1000,
  'gen_ai.latency.time_to_first_token': 1000,
  'ai.response.msToFirstChunk': 1,
}

/**
 * When the first token of a call came, epoch ms; undefined where its span doesn't say, or isn't of a call. A text says why
 * what it says can't be.
 */
export function firstTokenOf(span: Span): number | string | undefined {
  const { attributes, endMs, latencyMs } = span
  const name = Object.keys(attributes).find(each => Object.hasOwn(UNITS_MS, each))
  if (name === undefined || !(isCall(span) || reportsTokens(span))) return undefined
  const took = Number(attributes[name]) * UNITS_MS[name]!
  if (took >= 0 && took <= latencyMs) return endMs - latencyMs + Math.round(took)
  const unit = UNITS_MS[name] === 1 ? 'milliseconds' : 'seconds'
  return `${name} is in ${unit}, and ignored if it is longer than its call`
}
