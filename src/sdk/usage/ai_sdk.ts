import { type TokenCounts, UsageError, countsOf, present, sumCounts } from './counts.ts'

/** Usage as AI SDK 6 and 7 have it; version 5 has `cachedInputTokens` instead of the details. */
export interface AiSdkUsage {
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly inputTokenDetails?:
    | {
        readonly noCacheTokens: number | undefined
        readonly cacheReadTokens: number | undefined
        readonly cacheWriteTokens: number | undefined
      }
    | undefined
  readonly cachedInputTokens?: number | undefined
}

interface AiSdkStep {
  readonly usage: AiSdkUsage
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
}

/** What is read of the result of generateText or generateObject, of a step, or of what `onFinish` and `onEnd` are given. */
export interface AiSdkResult extends AiSdkStep {
  /** All steps; `usage` is that of the last one in versions 5 and 6. */
  readonly totalUsage?: AiSdkUsage | undefined
  readonly steps?: readonly AiSdkStep[] | undefined
}

/** AI SDK 5, 6 and 7. Of a stream, give what its `onFinish` or `onEnd` is given. Throws UsageError. */
export function aiSdk(result: AiSdkResult): TokenCounts {
  const usage = present(result.totalUsage ?? result.usage, 'the provider did not report it')
  if ('then' in usage) {
    throw new UsageError('the result is a stream; give what its `onFinish` or `onEnd` is given')
  }
  const { inputTokens, outputTokens, inputTokenDetails } = usage
  if (inputTokenDetails === undefined) return sumCounts((result.steps ?? [result]).map(stepOfVersion5))
  const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = inputTokenDetails
  return countsOf({
    input: noCacheTokens ?? inputTokens,
    read: cacheReadTokens,
    written: cacheWriteTokens,
    output: outputTokens,
    isInclusive: noCacheTokens === undefined,
  })
}

/**
 * Version 5 leaves the cache out of the input tokens where the provider does, and tells of cache writes in the
 * provider's own metadata alone.
 */
function stepOfVersion5({ usage, providerMetadata = {} }: AiSdkStep): TokenCounts {
  const { inputTokens, outputTokens, cachedInputTokens } = usage
  return countsOf({
    input: inputTokens,
    read: cachedInputTokens,
    written: CACHE_WRITES.map(path => at(providerMetadata, path)).find(value => value != null),
    output: outputTokens,
    isInclusive: !('anthropic' in providerMetadata || 'bedrock' in providerMetadata),
  })
}

const CACHE_WRITES = [
  ['anthropic', 'cacheCreationInputTokens'],
  ['bedrock', 'usage', 'cacheWriteInputTokens'],
  ['openai', 'usage', 'cacheWriteTokens'],
] as const

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)
}
