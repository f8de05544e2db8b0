import { type TokenCounts, sumCounts, totalTokens } from '../usage/counts.ts'
import { FACTS } from './names.ts'
import { type Span, textOf } from './span.ts'

/** What the first span of a run tells of it, in the fields of a run event. */
export interface RunFacts {
  /** The same however often the span is sent, and by whichever way: the service stores it once. */
  readonly run_id: string
  readonly timestamp: string
  readonly environment?: string
  readonly tenant_id?: string
  readonly task_id?: string
  readonly metrics: {
    readonly success: boolean
    readonly latency_ms: number
    readonly error_type: string | null
    /** Milliseconds from its start to the first token, where that is known. */
    readonly ttft_ms?: number
  }
  readonly request: {
    readonly session_id: string | null
    readonly trace_id: string
    readonly span_id: string
  }
}

export function factsOf(root: Span): RunFacts {
  const { traceId, spanId } = root
  return {
    run_id: runId(traceId, spanId),
    timestamp: new Date(root.endMs).toISOString(),
    ...given('environment', textOf(root, FACTS.environment)),
    ...given('tenant_id', textOf(root, FACTS.tenant_id)),
    ...given('task_id', textOf(root, FACTS.task_id)),
    metrics: {
      success: !root.hasFailed,
      latency_ms: root.latencyMs,
      error_type: root.hasFailed ? (textOf(root, FACTS.error_type) ?? root.exceptionType ?? null) : null,
    },
    request: {
      session_id: textOf(root, FACTS.session_id) ?? null,
      trace_id: traceId,
      span_id: spanId,
    },
  }
}

/** The id of the run that begins with a span. */
export function runId(traceId: string, spanId: string): string {
  return `otlp:${traceId}:${spanId}`
}

function given<K extends string>(name: K, value: string | undefined): { readonly [field in K]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [field in K]?: string })
}

/** Tokens of one model, by the name that it is priced under. */
export interface PricedPart {
  readonly provider: string
  readonly model: string
  readonly counts: TokenCounts
  /** The name that it answered by, where that is another model. */
  readonly served?: string | undefined
}

interface ModelUsage {
  readonly provider: string
  readonly model: string
  readonly input_tokens: number
  readonly cached_input_tokens: number
  /** A part of `input_tokens`; absent where there are none. */
  readonly cache_write_input_tokens?: number
  readonly output_tokens: number
  /** Absent where it answered by its own name. */
  readonly served_model?: string
}

/** The `usage` of a run event: one model, or the first of several, and the others in `models`. */
export interface RunUsage {
  readonly model: ModelUsage
  readonly models?: readonly ModelUsage[]
  /** Absent where none was called. */
  readonly tools?: readonly { readonly tool_name: string; readonly invocations: number }[]
  /** Whether not all of the tokens are known. */
  readonly incomplete?: true
}

/**
 * The usage of a run that used these parts, at least one: tokens of one model are added up, and `main`, or else the model
 * that used most, comes first.
 */
export function usageOf(
  parts: readonly PricedPart[],
  main?: string,
  tools: ReadonlyMap<string, number> = NO_TOOLS,
  isIncomplete = false,
): RunUsage {
  const called = Array.from(tools, ([tool_name, invocations]) => ({ tool_name, invocations }))
  return {
    ...modelsUsed(parts, main),
    ...(called.length === 0 ? {} : { tools: called }),
    ...(isIncomplete ? { incomplete: true as const } : {}),
  }
}

const NO_TOOLS: ReadonlyMap<string, number> = new Map()

function modelsUsed(parts: readonly PricedPart[], main: string | undefined): RunUsage {
  if (parts.length === 1) return { model: modelUsage(parts[0]!) }
  const byModel = Map.groupBy(parts, ({ provider, model, served }) =>
    JSON.stringify([provider, model, served]),
  )
  const sums = Array.from(byModel.values(), same => ({
    ...same[0]!,
    counts: sumCounts(same.map(({ counts }) => counts)),
  }))
  sums.sort(
    (a, b) =>
      Number(b.model === main) - Number(a.model === main) || totalTokens(b.counts) - totalTokens(a.counts),
  )
  const [first, ...others] = sums.map(modelUsage)
  return others.length === 0 ? { model: first! } : { model: first!, models: others }
}

function modelUsage({ provider, model, counts, served }: PricedPart): ModelUsage {
  const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = counts
  const written = cache_write_input_tokens > 0 ? { cache_write_input_tokens } : {}
  const answered = served === undefined ? {} : { served_model: served }
  return { provider, model, input_tokens, cached_input_tokens, ...written, output_tokens, ...answered }
}
