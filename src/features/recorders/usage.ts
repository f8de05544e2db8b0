import { isUnpriced, unreadText, usageOf } from '../../usage/attributes.ts'
import { type TokenCounts, UsageError, sumCounts } from '../../usage/counts.ts'
import { numbersIn } from '../../usage/names.ts'
import { readUsage } from '../../usage/read.ts'

export { type TokenCounts, UsageError, sumCounts } from '../../usage/counts.ts'

type Usage = object | null | undefined

/** Called with each number of tokens or cost that is not counted, such as audio. */
export type Note = (problem: string) => void

/** A chat completion, or the last chunk of a streamed one. */
export interface OpenAIChat {
  readonly usage?: Usage
}

/** OpenAI, POST /v1/chat/completions, and whoever else speaks it. Throws UsageError. */
export function openaiChat({ usage }: OpenAIChat, note?: Note): TokenCounts {
  const mend = 'ask for streams with `stream_options: { include_usage: true }` and read their last chunk'
  return read('sdk:openai', usage, { mend, note })
}

/** A response, or that in a stream's `response.completed`. */
export interface OpenAIResponse {
  readonly usage?: Usage
}

/** OpenAI, POST /v1/responses. Throws UsageError. */
export function openaiResponse({ usage }: OpenAIResponse, note?: Note): TokenCounts {
  const mend = 'of a stream, read the response of its `response.completed`'
  return read('sdk:openai', usage, { mend, note })
}

/** The result of `run`, once it is complete. */
export interface OpenAIAgentsResult {
  readonly state: { readonly usage: object }
}

/** OpenAI Agents SDK, all requests of a run. Throws UsageError. */
export function openaiAgents({ state }: OpenAIAgentsResult, note?: Note): TokenCounts {
  const { inputTokensDetails, outputTokensDetails, ...usage } = present(
    state?.usage as AgentsUsage | undefined,
    'of a stream, await its `completed` first',
  )
  const details = { input: summed(inputTokensDetails), output: summed(outputTokensDetails) }
  return read('sdk:openai', { ...usage, requestUsageEntries: undefined, ...details }, { note })
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
export function anthropicMessage({ usage }: AnthropicMessage, note?: Note): TokenCounts {
  return read('sdk:anthropic', usage, { mend: 'of a stream, read its final message', note })
}

/** A response of generateContent, or the last part of a stream. */
export interface GeminiContent {
  readonly usageMetadata?: Usage
}

/**
 * Gemini, generateContent. Thoughts are billed as output, and are counted apart from the candidates; what a tool of Google's
 * gave the model is counted apart from the prompt. A response without any text has no candidates. Throws UsageError.
 */
export function geminiContent({ usageMetadata }: GeminiContent, note?: Note): TokenCounts {
  const usage = present(
    usageMetadata as { candidatesTokenCount?: number } | null,
    'of a stream, read its last part',
  )
  const outputs = { candidatesTokenCount: usage.candidatesTokenCount ?? 0 }
  return read('sdk:gemini', { ...usage, ...outputs, ...listed(usage) }, { note })
}

/** A response of Converse, or the `metadata` that ends a ConverseStream. */
export interface BedrockConverse {
  readonly usage?: Usage
}

/** Amazon Bedrock, Converse and ConverseStream. Its input tokens are those outside of the cache. Throws UsageError. */
export function bedrockConverse({ usage }: BedrockConverse, note?: Note): TokenCounts {
  const mend = 'of a stream, read its `metadata`'
  return read('sdk:bedrock', { ...present(usage, mend), ...listed(usage) }, { note })
}

/** Parts of numbers that a list has, by what tells them apart: the modality of Gemini, the time in the cache of Bedrock. */
function listed(usage: Usage): Record<string, unknown> {
  const parts = Object.entries(usage ?? {}).flatMap(([name, list]: [string, unknown]) =>
    (Array.isArray(list) ? (list as Part[]) : []).map(({ modality, tokenCount, ttl, inputTokens }) =>
      ttl === undefined ? [`${name}.${modality}`, tokenCount] : [`${name}.write.${ttl}`, inputTokens],
    ),
  )
  return Object.fromEntries(parts) as Record<string, unknown>
}

interface Part {
  readonly modality?: string
  readonly tokenCount?: number
  readonly ttl?: string
  readonly inputTokens?: number
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
export function aiSdk(result: AiSdkResult, note?: Note): TokenCounts {
  const usage = present(result.totalUsage ?? result.usage, NOT_REPORTED)
  if ('then' in usage) {
    throw new UsageError('the result is a stream; pass the argument of its `onFinish` or `onEnd`')
  }
  const { inputTokens, inputTokenDetails } = usage as Readonly<Record<string, unknown>>
  if (inputTokenDetails !== undefined || typeof inputTokens === 'object')
    return read('sdk:ai', usage, { note })
  return sumCounts((result.steps ?? [result]).map(step => aiSdkStep(step, note)))
}

/**
 * Version 5 leaves the cache out of the input tokens where the provider does, and tells of cache writes in the provider's
 * own metadata alone.
 */
function aiSdkStep({ usage, providerMetadata = {} }: AiSdkStep, note?: Note): TokenCounts {
  const details = Object.assign({}, ...Object.values(providerMetadata)) as object
  return read('sdk:ai', { ...usage, details }, { provider: Object.keys(providerMetadata).join(' '), note })
}

/** A message of LangChain.js. */
export interface LangChainMessage {
  readonly usage_metadata?: object | undefined
}

/**
 * LangChain.js, one message of a model. Some integrations leave thoughts out of the output tokens, but not out of the
 * total; some leave the cache out of the input tokens. Throws UsageError.
 */
export function langchainMessage({ usage_metadata }: LangChainMessage, note?: Note): TokenCounts {
  return read('sdk:langchain', usage_metadata, {
    mend: 'ask the model for it, such as with `streamUsage: true`',
    note,
  })
}

/**
 * LangChain.js, all messages that models wrote in a run, such as `result.messages` of an agent; those of others have no
 * usage. Throws UsageError where none has.
 */
export function langchainMessages(messages: readonly LangChainMessage[], note?: Note): TokenCounts {
  const counted = messages.filter(message => message.usage_metadata != null)
  if (counted.length === 0) throw new UsageError('no message has usage_metadata')
  return sumCounts(counted.map(message => langchainMessage(message, note)))
}

interface UsageReading {
  /** What to do where there is no usage. */
  readonly mend?: string
  readonly provider?: string
  readonly note?: Note | undefined
}

/** Reads the usage of a response. Throws UsageError where there is none, with what mends it. */
function read(
  scope: string,
  usage: Usage,
  { mend = NOT_REPORTED, provider, note }: UsageReading = {},
): TokenCounts {
  const numbers = Object.entries(numbersIn(present(usage, mend)))
  const counts = readUsage({ scope, provider }, numbers)
  for (const [name, value] of note === undefined ? [] : numbers) {
    if (isUnpriced(usageOf(`ai.usage.${name}`)) && Number(value) > 0) note!(unreadText(`${name} of ${scope}`))
  }
  return counts
}

const NOT_REPORTED = 'the provider did not report it'

function present<T>(usage: T | null | undefined, mend: string): T {
  if (usage == null) throw new UsageError(`the response has no usage; ${mend}`)
  return usage
}
