import { Readable } from 'node:stream'
import Anthropic from '@anthropic-ai/sdk'
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime'
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { AIMessage, type AIMessageChunk } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIResponsesModel, Runner, type RunResult } from '@openai/agents'
import { createOpenAI } from '@ai-sdk/openai'
import { findProvider, extractUsage } from '@pydantic/genai-prices'
import * as ai7 from 'ai'
import type * as ai5 from 'ai5'
import type * as ai6 from 'ai6'
import OpenAI from 'openai'
import type { Response as OpenAIResponseObject } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import {
  type TokenCounts,
  aiSdk,
  anthropicMessage,
  bedrockConverse,
  geminiContent,
  langchainMessage,
  langchainMessages,
  openaiAgents,
  openaiChat,
  openaiResponse,
} from '../../../../../src/features/recorders/usage.ts'
import { type FakeProvider, fakeProvider } from '../../../../support/providers/fake_provider.ts'
import { COUNTS, VECTOR } from '../../../../support/providers/vector.ts'

let provider: FakeProvider
beforeAll(async () => {
  provider = await fakeProvider()
})
afterAll(() => provider.close())

const openai = (): OpenAI => new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k', maxRetries: 0 })
const anthropic = (): Anthropic => new Anthropic({ baseURL: provider.url, apiKey: 'k', maxRetries: 0 })
const question = [{ role: 'user' as const, content: 'Where is it?' }]
const chat = { model: 'gpt-5.6', messages: question }
const message = { model: 'claude-opus-5', max_tokens: 100, messages: question }

/** Gemini has no price for cache writes: they are plain input there. */
const GEMINI_COUNTS = { ...COUNTS, cache_write_input_tokens: 0 }

async function last<T>(stream: AsyncIterable<T>): Promise<T> {
  let item: T | undefined
  for await (item of stream);
  return item!
}

interface Source {
  readonly name: string
  /** Asks the fake provider by the real package. */
  readonly ask: () => Promise<unknown>
  readonly map: (response: never) => TokenCounts
  readonly counts?: TokenCounts
  /** How the oracle knows it. */
  readonly oracle: readonly [provider: string, flavor: string]
}

const SOURCES: readonly Source[] = [
  {
    name: 'OpenAI chat',
    ask: () => openai().chat.completions.create(chat),
    map: openaiChat,
    oracle: ['openai', 'chat'],
  },
  {
    name: 'OpenAI chat, streamed',
    ask: async () =>
      last(
        await openai().chat.completions.create({
          ...chat,
          stream: true,
          stream_options: { include_usage: true },
        }),
      ),
    map: openaiChat,
    oracle: ['openai', 'chat'],
  },
  {
    name: 'OpenAI responses',
    ask: () => openai().responses.create({ model: 'gpt-5.6', input: 'Where is it?' }),
    map: openaiResponse,
    oracle: ['openai', 'responses'],
  },
  {
    name: 'OpenAI responses, streamed',
    ask: async () => {
      const ended = await last(
        await openai().responses.create({ model: 'gpt-5.6', input: 'Where is it?', stream: true }),
      )
      return ended.type === 'response.completed' ? ended.response : undefined
    },
    map: openaiResponse,
    oracle: ['openai', 'responses'],
  },
  {
    name: 'Anthropic',
    ask: () => anthropic().messages.create(message),
    map: anthropicMessage,
    oracle: ['anthropic', 'default'],
  },
  {
    name: 'Anthropic, streamed',
    ask: () => anthropic().messages.stream(message).finalMessage(),
    map: anthropicMessage,
    oracle: ['anthropic', 'default'],
  },
  {
    name: 'Gemini',
    ask: () =>
      new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: provider.url } }).models.generateContent({
        model: 'gemini-3-flash',
        contents: 'Where is it?',
      }),
    map: geminiContent,
    counts: GEMINI_COUNTS,
    oracle: ['google', 'default'],
  },
  {
    name: 'Bedrock Converse',
    ask: () =>
      new BedrockRuntimeClient({
        endpoint: provider.url,
        requestHandler: { handle: sendByFetch },
        region: 'eu-west-1',
        credentials: { accessKeyId: 'k', secretAccessKey: 's' },
      }).send(
        new ConverseCommand({
          modelId: 'amazon.nova-pro-v1:0',
          messages: [{ role: 'user', content: [{ text: 'Where is it?' }] }],
        }),
      ),
    map: bedrockConverse,
    oracle: ['aws', 'default'],
  },
]

describe('what the real packages answer', () => {
  test.each(SOURCES)('$name: counts, as the oracle counts them', async source => {
    const response = await source.ask()
    const counts = source.map(response as never)
    expect(counts).toEqual(source.counts ?? COUNTS)
    const [providerId, flavor] = source.oracle
    const { usage } = extractUsage(findProvider({ providerId })!, response, flavor)
    expect({
      input_tokens: counts.input_tokens + counts.cached_input_tokens,
      cache_read_tokens: counts.cached_input_tokens,
      cache_write_tokens: counts.cache_write_input_tokens,
      output_tokens: counts.output_tokens,
    }).toEqual({
      input_tokens: usage.input_tokens,
      cache_read_tokens: usage.cache_read_tokens ?? 0,
      cache_write_tokens: usage.cache_write_tokens ?? 0,
      output_tokens: usage.output_tokens,
    })
  })

  test('AI SDK 7: all steps of a run', async () => {
    const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k' })('gpt-5.6')
    const tools = {
      lookup: ai7.tool({
        inputSchema: ai7.jsonSchema<{ order: string }>({ type: 'object', properties: {} }),
        execute: () => 'sent',
      }),
    }
    const result = await ai7.generateText({
      model,
      tools,
      prompt: 'Where is it?',
      stopWhen: ai7.stepCountIs(3),
    })
    expect(result.steps).toHaveLength(2)
    expect(aiSdk(result)).toEqual(twice(COUNTS))
    let ended: unknown
    const streamed = ai7.streamText({ model, prompt: 'Where is it?', onEnd: event => void (ended = event) })
    await streamed.consumeStream()
    expect(aiSdk(ended as never)).toEqual(COUNTS)
    expect(aiSdk({ usage: await streamed.totalUsage })).toEqual(COUNTS)
    expect(() => aiSdk(streamed as never)).toThrow('the result is a stream')
  })

  test('LangChain.js', async () => {
    const model = new ChatOpenAI({
      model: 'gpt-5.6',
      apiKey: 'k',
      configuration: { baseURL: `${provider.url}/v1` },
    })
    const answer = await model.invoke('Where is it?')
    expect(langchainMessage(answer)).toEqual(COUNTS)
    expect(langchainMessages([answer, new AIMessage('of no model'), answer])).toEqual(twice(COUNTS))
    let streamed: AIMessageChunk | undefined
    for await (const part of await model.stream('Where is it?')) streamed = streamed?.concat(part) ?? part
    expect(langchainMessage(streamed!)).toEqual(COUNTS)
  })

  test('OpenAI Agents: all requests of a run, streamed or not', async () => {
    const agent = new Agent({ name: 'bot', model: new OpenAIResponsesModel(openai(), 'gpt-5.6') })
    const runner = new Runner({ tracingDisabled: true })
    expect(openaiAgents(await runner.run(agent, 'Where is it?'))).toEqual(COUNTS)
    const streamed = await runner.run(agent, 'Where is it?', { stream: true })
    await streamed.completed
    expect(openaiAgents(streamed)).toEqual(COUNTS)
  })

  test('are taken as their types say', () => {
    expectTypeOf<OpenAI.Chat.ChatCompletion>().toExtend<Parameters<typeof openaiChat>[0]>()
    expectTypeOf<OpenAI.Chat.ChatCompletionChunk>().toExtend<Parameters<typeof openaiChat>[0]>()
    expectTypeOf<OpenAIResponseObject>().toExtend<Parameters<typeof openaiResponse>[0]>()
    expectTypeOf<Anthropic.Message>().toExtend<Parameters<typeof anthropicMessage>[0]>()
    expectTypeOf<Anthropic.Beta.BetaMessage>().toExtend<Parameters<typeof anthropicMessage>[0]>()
    expectTypeOf<Anthropic.MessageDeltaEvent>().toExtend<Parameters<typeof anthropicMessage>[0]>()
    expectTypeOf<GenerateContentResponse>().toExtend<Parameters<typeof geminiContent>[0]>()
    expectTypeOf<ConverseCommandOutput>().toExtend<Parameters<typeof bedrockConverse>[0]>()
    expectTypeOf<ai5.GenerateTextResult<ai5.ToolSet, string>>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<ai5.GenerateObjectResult<string>>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<ai5.StepResult<ai5.ToolSet>>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<ai6.GenerateTextResult<ai6.ToolSet, never>>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<ai7.GenerateTextResult<ai7.ToolSet, never, never>>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<ai7.GenerateTextEndEvent>().toExtend<Parameters<typeof aiSdk>[0]>()
    expectTypeOf<AIMessage>().toExtend<Parameters<typeof langchainMessage>[0]>()
    expectTypeOf<RunResult<unknown, Agent<any, any>>>().toExtend<Parameters<typeof openaiAgents>[0]>()
  })
})

/** The package would speak HTTP/2. */
async function sendByFetch({ method, path, body }: { method: string; path: string; body?: unknown }) {
  const {
    status,
    headers,
    body: answer,
  } = await fetch(provider.url + path, { method, body: body as BodyInit })
  const response = { statusCode: status, headers: Object.fromEntries(headers), body: Readable.from(answer!) }
  return { response: response as never }
}

function twice(counts: TokenCounts): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count * 2]))
}

test('the vector tells every mistake of sums apart', () => {
  const { uncached, read, written, output } = VECTOR
  const sums = [uncached, read, written, output, uncached + read, uncached + written, read + written]
  expect(new Set(sums).size).toBe(sums.length)
})
