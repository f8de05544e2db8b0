import { type TokenCounts, UsageError, sumCounts } from '../../usage/counts.ts'
import { numbersIn } from '../../usage/names.ts'
import { readUsage } from '../../usage/read.ts'

export { type TokenCounts, UsageError, sumCounts } from '../../usage/counts.ts'

type Usage = object | null | undefined

/** A chat completion, or the last chunk of a streamed one. */
export interface OpenAIChat {
  readonly usage?: Usage
}

/** OpenAI, POST /v1/chat/completions, and whoever else speaks it. Throws UsageError. */
export function openaiChat({ usage }: OpenAIChat): TokenCounts {
  const mend = 'ask for streams with `stream_options: { include_usage: true }` and read their last chunk'
  return read('sdk:openai', usage, mend)
}

/** A response, or that in a stream's `response.completed`. */
export interface OpenAIResponse {
  readonly usage?: Usage
}

/** OpenAI, POST /v1/responses. Throws UsageError. */
export function openaiResponse({ usage }: OpenAIResponse): TokenCounts {
  return read('sdk:openai', usage, 'of a stream, read the response of its `response.completed`')
}

/** The result of `run`, once it is complete. */
export interface OpenAIAgentsResult {
  readonly state: { readonly usage: object }
}

/** OpenAI Agents SDK, all requests of a run. Throws UsageError. */
export function openaiAgents({ state }: OpenAIAgentsResult): TokenCounts {
  const { inputTokensDetails, outputTokensDetails, ...usage } = present(
    state?.usage as AgentsUsage | undefined,
    'of a stream, await its `completed` first',
  )
  const details = { input: summed(inputTokensDetails), output: summed(outputTokensDetails) }
  return read('sdk:openai', { ...usage, requestUsageEntries: undefined, ...details })
}

type Details = Readonly<Record<string, number>>
interface AgentsUsage {
  /** One object, or one per request. */
  readonly inputTokensDetails?: Details | readonly Details[]
  readonly outputTokensDetails?: Details | readonly Details[]
}

function summed(details: Details | readonly Details[] = []): Details {
  const sums: Record<string, number> = {}
  for (const one of [details].flat()) {
    for (const [name, count] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

/** A message, or the one that a stream adds up to. */
export interface AnthropicMessage {
  readonly usage: object
}

/** Anthropic, POST /v1/messages. Its input tokens are those outside of the cache. Throws UsageError. */
export function anthropicMessage({ usage }: AnthropicMessage): TokenCounts {
  return read('sdk:anthropic', usage, 'of a stream, read its final message')
}

/** A response of generateContent, or the last part of a stream. */
export interface GeminiContent {
  readonly usageMetadata?: Usage
}

/**
 * Gemini, generateContent. Thoughts are billed as output, and are counted apart from the candidates; what a tool of Google's
 * gave the model is counted apart from the prompt. A response without any text has no candidates. Throws UsageError.
 */
export function geminiContent({ usageMetadata }: GeminiContent): TokenCounts {
  const usage = present(
    usageMetadata as { candidatesTokenCount?: number } | null,
    'of a stream, read its last part',
  )
  return read('sdk:gemini', { ...usage, candidatesTokenCount: usage.candidatesTokenCount ?? 0 })
}

/** A response of Converse, or the `metadata` that ends a ConverseStream. */
export interface BedrockConverse {
  readonly usage?: Usage
}

/** Amazon Bedrock, Converse and ConverseStream. Its input tokens are those outside of the cache. Throws UsageError. */
export function bedrockConverse({ usage }: BedrockConverse): TokenCounts {
  return read('sdk:bedrock', usage, 'of a stream, read its `metadata`')
}

interface AiSdkStep {
  readonly usage?: Usage
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
}

/** The result of generateText or generateObject, a step, or what `onFinish` and `onEnd` are given. */
export interface AiSdkResult extends AiSdkStep {
  /** All steps; `usage` is that of the last one in versions 5 and 6. */
  readonly totalUsage?: object | undefined
  readonly steps?: readonly AiSdkStep[] | undefined
}

/** AI SDK 5, 6 and 7. Of a stream, give what its `onFinish` or `onEnd` is given. Throws UsageError. */
export function aiSdk(result: AiSdkResult): TokenCounts {
  const usage = present(result.totalUsage ?? result.usage, 'the provider did not report it')
  if ('then' in usage) {
    throw new UsageError('the result is a stream; give what its `onFinish` or `onEnd` is given')
  }
  const { inputTokens, inputTokenDetails } = usage as Readonly<Record<string, unknown>>
  if (inputTokenDetails !== undefined || typeof inputTokens === 'object') return read('sdk:ai', usage)
  return sumCounts((result.steps ?? [result]).map(aiSdkStep))
}

/**
 * Version 5 leaves the cache out of the input tokens where the provider does, and tells of cache writes in the provider's
 * own metadata alone.
 */
function aiSdkStep({ usage, providerMetadata = {} }: AiSdkStep): TokenCounts {
  const details = Object.assign({}, ...Object.values(providerMetadata)) as object
  return read('sdk:ai', { ...usage, details }, undefined, Object.keys(providerMetadata).join(' '))
}

/** A message of LangChain.js. */
export interface LangChainMessage {
  readonly usage_metadata?: object | undefined
}

/**
 * LangChain.js, one message of a model. Some integrations leave thoughts out of the output tokens, but not out of the
 * total; some leave the cache out of the input tokens. Throws UsageError.
 */
export function langchainMessage({ usage_metadata }: LangChainMessage): TokenCounts {
  return read('sdk:langchain', usage_metadata, 'ask the model for it, such as with `streamUsage: true`')
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

/** Reads the usage of a response. Throws UsageError where there is none, with what mends it. */
function read(
  scope: string,
  usage: Usage,
  mend = 'the provider did not report it',
  provider?: string,
): TokenCounts {
  return readUsage({ scope, provider }, Object.entries(numbersIn(present(usage, mend))))
}

function present<T>(usage: T | null | undefined, mend: string): T {
  if (usage == null) throw new UsageError(`the response has no usage; ${mend}`)
  return usage
}
