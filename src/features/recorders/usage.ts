import { type TokenCounts, countsOf, present, UsageError, sumCounts } from '../../spans/counts.ts'

export { type TokenCounts, UsageError, sumCounts } from '../../spans/counts.ts'

/** What is read of a chat completion, or of the last chunk of a streamed one. */
export interface OpenAIChat {
  readonly usage?:
    | {
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly prompt_tokens_details?:
          | {
              readonly cached_tokens?: number | null | undefined
              readonly cache_write_tokens?: number | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
}

/** OpenAI, POST /v1/chat/completions, and whoever else speaks it. Throws UsageError. */
export function openaiChat({ usage }: OpenAIChat): TokenCounts {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = present(
    usage,
    'ask for streams with `stream_options: { include_usage: true }` and read their last chunk',
  )
  return countsOf({
    input: prompt_tokens,
    read: prompt_tokens_details?.cached_tokens,
    written: prompt_tokens_details?.cache_write_tokens,
    output: completion_tokens,
    isInclusive: true,
  })
}

/** What is read of a response, or of that in a stream's `response.completed`. */
export interface OpenAIResponse {
  readonly usage?:
    | {
        readonly input_tokens: number
        readonly output_tokens: number
        readonly input_tokens_details?:
          | {
              readonly cached_tokens?: number | null | undefined
              readonly cache_write_tokens?: number | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
}

/** OpenAI, POST /v1/responses. Throws UsageError. */
export function openaiResponse({ usage }: OpenAIResponse): TokenCounts {
  const { input_tokens, output_tokens, input_tokens_details } = present(
    usage,
    'of a stream, read the response of its `response.completed`',
  )
  return countsOf({
    input: input_tokens,
    read: input_tokens_details?.cached_tokens,
    written: input_tokens_details?.cache_write_tokens,
    output: output_tokens,
    isInclusive: true,
  })
}

/** What is read of the result of `run`, once it is complete. */
export interface OpenAIAgentsResult {
  readonly state: {
    readonly usage: {
      readonly inputTokens: number
      readonly outputTokens: number
      /** One entry per request. */
      readonly inputTokensDetails: readonly Readonly<Record<string, number>>[]
    }
  }
}

/** OpenAI Agents SDK, all requests of a run. Throws UsageError. */
export function openaiAgents({ state }: OpenAIAgentsResult): TokenCounts {
  const { inputTokens, outputTokens, inputTokensDetails } = present(
    state?.usage,
    'of a stream, await its `completed` first',
  )
  const sumOf = (name: string): number =>
    inputTokensDetails.reduce((total, details) => total + (details[name] ?? 0), 0)
  return countsOf({
    input: inputTokens,
    read: sumOf('cached_tokens'),
    written: sumOf('cache_write_tokens'),
    output: outputTokens,
    isInclusive: true,
  })
}

/** What is read of a message, or of the one that a stream adds up to. */
export interface AnthropicMessage {
  readonly usage: {
    readonly input_tokens: number | null
    readonly cache_read_input_tokens?: number | null | undefined
    readonly cache_creation_input_tokens?: number | null | undefined
    readonly output_tokens: number
  }
}

/** Anthropic, POST /v1/messages. Its input tokens are those outside of the cache. Throws UsageError. */
export function anthropicMessage({ usage }: AnthropicMessage): TokenCounts {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = present(
    usage,
    'of a stream, read its final message',
  )
  return countsOf({
    input: input_tokens,
    read: cache_read_input_tokens,
    written: cache_creation_input_tokens,
    output: output_tokens,
    isInclusive: false,
  })
}

/** What is read of a response of generateContent, or of the last part of a stream. */
export interface GeminiContent {
  readonly usageMetadata?:
    | {
        readonly promptTokenCount?: number | null | undefined
        readonly toolUsePromptTokenCount?: number | null | undefined
        readonly cachedContentTokenCount?: number | null | undefined
        readonly candidatesTokenCount?: number | null | undefined
        readonly thoughtsTokenCount?: number | null | undefined
      }
    | null
    | undefined
}

/**
 * Gemini, generateContent. Thoughts are billed as output, and are counted apart from the candidates; what a tool of Google's
 * gave the model is counted apart from the prompt. A response without any text has no candidates. Throws UsageError.
 */
export function geminiContent({ usageMetadata }: GeminiContent): TokenCounts {
  const usage = present(usageMetadata, 'of a stream, read its last part')
  return countsOf({
    input: sum(usage.promptTokenCount, usage.toolUsePromptTokenCount),
    read: usage.cachedContentTokenCount,
    output: sum(usage.candidatesTokenCount ?? 0, usage.thoughtsTokenCount),
    isInclusive: true,
  })
}

/** Of what is not a number, nothing is made: the check of the sum says so. */
function sum(count: number | null | undefined, more: number | null | undefined): number | null | undefined {
  return count == null || more == null ? count : count + more
}

/** What is read of a response of Converse, or of the `metadata` that ends a ConverseStream. */
export interface BedrockConverse {
  readonly usage?:
    | {
        readonly inputTokens: number | undefined
        readonly outputTokens: number | undefined
        readonly cacheReadInputTokens?: number | undefined
        readonly cacheWriteInputTokens?: number | undefined
      }
    | undefined
}

/** Amazon Bedrock, Converse and ConverseStream. Its input tokens are those outside of the cache. Throws UsageError. */
export function bedrockConverse({ usage }: BedrockConverse): TokenCounts {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = present(
    usage,
    'of a stream, read its `metadata`',
  )
  return countsOf({
    input: inputTokens,
    read: cacheReadInputTokens,
    written: cacheWriteInputTokens,
    output: outputTokens,
    isInclusive: false,
  })
}

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

/** What is read of a message of LangChain.js. */
export interface LangChainMessage {
  readonly usage_metadata?:
    | {
        readonly input_tokens: number
        readonly output_tokens: number
        readonly total_tokens?: number | undefined
        readonly input_token_details?:
          | { readonly cache_read?: number | undefined; readonly cache_creation?: number | undefined }
          | undefined
      }
    | undefined
}

/**
 * LangChain.js, one message of a model. Some integrations leave thoughts out of the output tokens, but not out of the
 * total; some leave the cache out of the input tokens. Throws UsageError.
 */
export function langchainMessage({ usage_metadata }: LangChainMessage): TokenCounts {
  const usage = present(usage_metadata, 'ask the model for it, such as with `streamUsage: true`')
  const { input_tokens, output_tokens, total_tokens = 0, input_token_details = {} } = usage
  const { cache_read = 0, cache_creation = 0 } = input_token_details
  const isInclusive = input_tokens >= cache_read + cache_creation
  const unexplained = total_tokens - input_tokens - (isInclusive ? 0 : cache_read + cache_creation)
  return countsOf({
    input: input_tokens,
    read: cache_read,
    written: cache_creation,
    output: output_tokens == null ? output_tokens : Math.max(output_tokens, unexplained),
    isInclusive,
  })
}

/**
 * LangChain.js, all messages that models wrote in a run, such as `result.messages` of an agent; those of others have no
 * usage. Throws UsageError where none has.
 */
export function langchainMessages(messages: readonly LangChainMessage[]): TokenCounts {
  const counted = messages.filter(message => message.usage_metadata != null)
  if (counted.length === 0) throw new UsageError('no message has usage_metadata')
  return sumCounts(counted.map(langchainMessage))
}
