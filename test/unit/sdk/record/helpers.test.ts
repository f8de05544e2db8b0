import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, tool as agentTool } from '@openai/agents'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import { MockLanguageModelV2 } from 'ai5/test'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countedModel } from '../../../../src/sdk/ai_sdk/index.ts'
import { countedAnthropic } from '../../../../src/sdk/anthropic/index.ts'
import { countingCallbacks } from '../../../../src/sdk/langchain/index.ts'
import { countedOpenAI } from '../../../../src/sdk/openai/index.ts'
import { countedModels } from '../../../../src/sdk/openai_agents/index.ts'
import type { RunRecord } from '../../../../src/sdk/record/index.ts'
import { type FakeProvider, fakeProvider } from '../../../support/providers/fake_provider.ts'
import { ANSWER, COUNTS } from '../../../support/providers/vector.ts'
import { recording } from './support.ts'

let provider: FakeProvider
beforeAll(async () => {
  provider = await fakeProvider()
})
afterAll(() => provider.close())

const gpt = 'gpt-5.6'
const claude = 'claude-opus-5'
const content = 'Where is it?'
const messages = [{ role: 'user' as const, content }]
const openai = (run: RunRecord) =>
  countedOpenAI(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k', maxRetries: 0 }), run)
const anthropic = (run: RunRecord) =>
  countedAnthropic(new Anthropic({ baseURL: provider.url, apiKey: 'k', maxRetries: 0 }), run)
const aiModel = (run: RunRecord) =>
  countedModel(createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k' })(gpt), run)
const lookup = ai7.tool({
  inputSchema: ai7.jsonSchema<object>({ type: 'object', properties: {} }),
  execute: () => 'sent',
})
const chatModel = () =>
  new ChatOpenAI({
    model: gpt,
    apiKey: 'k',
    maxRetries: 0,
    configuration: { baseURL: `${provider.url}/v1` },
  })

async function agentRun(run: RunRecord, isStreamed: boolean): Promise<unknown> {
  const models = new OpenAIProvider({
    openAIClient: new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k', maxRetries: 0 }),
    useResponses: true,
  })
  const runner = new Runner({ modelProvider: countedModels(models, run), tracingDisabled: true })
  const parameters = {
    type: 'object' as const,
    properties: { order: { type: 'string' as const } },
    required: ['order'],
    additionalProperties: false as const,
  }
  const tools = [agentTool({ name: 'lookup', description: 'looks up', parameters, execute: () => 'sent' })]
  const agent = new Agent({ name: 'bot', model: gpt, tools })
  if (!isStreamed) return (await runner.run(agent, content)).finalOutput
  const streamed = await runner.run(agent, content, { stream: true })
  await streamed.completed
  return streamed.finalOutput
}

async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}

interface Case {
  readonly name: string
  readonly ask: (run: RunRecord) => Promise<unknown>
  readonly model?: string
  /** How many calls of a model the run makes. */
  readonly calls?: number
  readonly answer?: unknown
}

const CASES: readonly Case[] = [
  {
    name: 'OpenAI chat',
    ask: async run =>
      (await openai(run).chat.completions.create({ model: gpt, messages })).choices[0]!.message.content,
  },
  {
    name: 'OpenAI chat, parsed',
    ask: async run =>
      (await openai(run).chat.completions.parse({ model: gpt, messages })).choices[0]!.message.content,
  },
  {
    name: 'OpenAI chat with its response',
    ask: async run => {
      const { data, response } = await openai(run)
        .chat.completions.create({ model: gpt, messages })
        .withResponse()
      return response.ok && data.choices[0]!.message.content
    },
  },
  {
    name: 'OpenAI chat, streamed',
    ask: async run => {
      const asked = { model: gpt, messages, stream: true as const }
      const chunks = await read(await openai(run).chat.completions.create(asked))
      return chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')
    },
  },
  {
    name: 'OpenAI chat, streamed and asked for usage',
    ask: async run => {
      const asked = { model: gpt, messages, stream: true as const, stream_options: { include_usage: true } }
      const chunks = await read(await openai(run).chat.completions.create(asked))
      return chunks.at(-1)!.usage?.completion_tokens === COUNTS.output_tokens && ANSWER
    },
  },
  {
    name: 'OpenAI chat, the helper for streams',
    ask: run => openai(run).chat.completions.stream({ model: gpt, messages }).finalContent(),
  },
  {
    name: 'OpenAI chat, a stream with two branches',
    ask: async run => {
      const asked = { model: gpt, messages, stream: true as const }
      const [left, right] = (await openai(run).chat.completions.create(asked)).tee()
      const [one, other] = await Promise.all([read(left), read(right)])
      return one.length === other.length && ANSWER
    },
  },
  {
    name: 'OpenAI responses',
    ask: async run => (await openai(run).responses.create({ model: gpt, input: content })).output_text,
  },
  {
    name: 'OpenAI responses, streamed',
    ask: async run => {
      const items = await read(
        await openai(run).responses.create({ model: gpt, input: content, stream: true }),
      )
      return items.at(-1)!.type === 'response.completed' && ANSWER
    },
  },
  {
    name: 'Anthropic',
    model: claude,
    ask: async run => {
      const message = await anthropic(run).messages.create({ model: claude, max_tokens: 9, messages })
      return message.content[0]!.type === 'text' && message.content[0].text
    },
  },
  {
    name: 'Anthropic, streamed',
    model: claude,
    ask: async run => {
      const asked = { model: claude, max_tokens: 9, messages, stream: true as const }
      const items = await read(await anthropic(run).messages.create(asked))
      return items.at(-1)!.type === 'message_stop' && ANSWER
    },
  },
  {
    name: 'Anthropic, the helper for streams',
    model: claude,
    ask: run => anthropic(run).messages.stream({ model: claude, max_tokens: 9, messages }).finalText(),
  },
  {
    name: 'Anthropic, beta',
    model: claude,
    ask: async run => {
      await anthropic(run).beta.messages.create({ model: claude, max_tokens: 9, messages })
      return ANSWER
    },
  },
  {
    name: 'AI SDK 7, steps with a tool',
    calls: 2,
    ask: async run => {
      const asked = { model: aiModel(run), prompt: content, tools: { lookup }, stopWhen: ai7.stepCountIs(3) }
      return (await ai7.generateText(asked)).text
    },
  },
  {
    name: 'AI SDK 7, streamed',
    ask: async run => ai7.streamText({ model: aiModel(run), prompt: content }).text,
  },
  { name: 'OpenAI Agents', calls: 2, ask: run => agentRun(run, false) },
  { name: 'OpenAI Agents, streamed', calls: 2, ask: run => agentRun(run, true) },
  {
    name: 'LangChain.js',
    calls: 2,
    ask: async run => {
      const model = chatModel()
      const callbacks = [countingCallbacks(run)]
      await model.invoke(content, { callbacks })
      return (await model.invoke(content, { callbacks })).text
    },
  },
  {
    name: 'LangChain.js, streamed',
    ask: async run => {
      const parts = await read(await chatModel().stream(content, { callbacks: [countingCallbacks(run)] }))
      return parts.map(({ text }) => text).join('')
    },
  },
  {
    name: 'two of them at once',
    calls: 2,
    ask: async run => {
      const client = openai(run)
      const ask = () => client.chat.completions.create({ model: gpt, messages })
      const [, { choices }] = await Promise.all([ask(), ask()])
      return choices[0]!.message.content
    },
  },
]

test.each(CASES)('$name', async ({ ask, model = gpt, calls = 1 }) => {
  const { run, events } = recording()
  let answer: unknown
  const usage = await run(async record => void (answer = await ask(record)))
  const counts = Object.fromEntries(Object.entries(COUNTS).map(([name, count]) => [name, count * calls]))
  expect(usage).toEqual({ model: { provider: model === gpt ? 'openai' : 'anthropic', model, ...counts } })
  expect(events.map(({ metrics }) => metrics.success)).toEqual([true])
  expect(answer).toBe(ANSWER)
})

const FAILURES: readonly (Case & { readonly errorType: string })[] = [
  {
    name: 'OpenAI',
    errorType: 'BadRequestError',
    ask: run =>
      openai(run).chat.completions.create({ model: gpt, messages: [{ role: 'user', content: 'fail' }] }),
  },
  {
    name: 'Anthropic',
    model: claude,
    errorType: 'BadRequestError',
    ask: run =>
      anthropic(run).messages.create({
        model: claude,
        max_tokens: 9,
        messages: [{ role: 'user', content: 'fail' }],
      }),
  },
  {
    name: 'AI SDK 7',
    errorType: 'AI_APICallError',
    ask: run => ai7.generateText({ model: aiModel(run), prompt: 'fail', maxRetries: 0 }),
  },
  {
    name: 'LangChain.js',
    errorType: 'BadRequestError',
    ask: run => chatModel().invoke('fail', { callbacks: [countingCallbacks(run)] }),
  },
]

test.each(FAILURES)('a run that fails at $name counts as failed', async ({ ask, model = gpt, errorType }) => {
  const { run, events } = recording()
  const usage = await run(ask)
  expect(usage).toMatchObject({ model: { model, input_tokens: 0, output_tokens: 0 } })
  expect(events[0]!.metrics).toMatchObject({ success: false, error_type: errorType })
})

const inSteps = { type: 'text' as const, text: ANSWER }
const REPORTED = { inputTokens: 1000, cachedInputTokens: 700, outputTokens: 50, totalTokens: 1050 }
const NESTED = {
  inputTokens: { total: 1000, noCache: 100, cacheRead: 700, cacheWrite: 200 },
  outputTokens: { total: 50, text: 30, reasoning: 20 },
}

test('models as AI SDK 5 and 6 take them', async () => {
  const answer = { content: [inSteps], warnings: [] }
  const five = new MockLanguageModelV2({
    provider: 'openai.chat',
    modelId: gpt,
    doGenerate: { ...answer, finishReason: 'stop', usage: REPORTED },
  })
  const six = new MockLanguageModelV3({
    provider: 'openai.chat',
    modelId: gpt,
    doGenerate: { ...answer, finishReason: { unified: 'stop', raw: 'stop' }, usage: NESTED },
  })
  const usage = await recording().run(record =>
    ai5.generateText({ model: countedModel(five, record), prompt: content }),
  )
  expect(usage).toMatchObject({ model: { input_tokens: 300, cached_input_tokens: 700, output_tokens: 50 } })
  const nested = await recording().run(record =>
    ai6.generateText({ model: countedModel(six, record), prompt: content }),
  )
  expect(nested).toEqual({ model: { provider: 'openai', model: gpt, ...COUNTS } })
})

test('a stream that is not read to its end leaves its run out', async () => {
  const { run } = recording()
  const usage = await run(async record => {
    for await (const _ of await openai(record).chat.completions.create({
      model: gpt,
      messages,
      stream: true,
    }))
      break
  })
  expect(usage).toMatch(/^the response has no usage/)
  const cancelled = await recording().run(async record => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: content }] }]
    const { stream } = await aiModel(record).doStream({ prompt })
    await stream.cancel()
  })
  expect(cancelled).toMatch(/^the response has no usage/)
})

test('a stream that is read behind its run counts in it', async () => {
  const { run } = recording()
  let reading: Promise<unknown> = Promise.resolve()
  const usage = await run(async record => {
    const stream = await openai(record).chat.completions.create({ model: gpt, messages, stream: true })
    reading = Promise.resolve().then(() => read(stream))
  })
  await reading
  expect(usage).toMatchObject({ model: COUNTS })
})
