import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import { MockLanguageModelV2 } from 'ai5/test'
import * as ai6 from 'ai6'
import { MockLanguageModelV3 } from 'ai6/test'
import { expect, test } from 'vitest'
import { countedModel } from '../../../../../src/features/recorders/ai_sdk.ts'
import { countingCallbacks } from '../../../../../src/features/recorders/langchain.ts'
import { ANSWER, COUNTS } from '../../../../support/providers/vector.ts'
import { recording } from './support.ts'
import {
  type Case,
  aiModel,
  anthropic,
  chatModel,
  claude,
  content,
  gpt,
  messages,
  openai,
  read,
  withProvider,
} from './clients.ts'

withProvider()

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

async function breakOff(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) throw new TypeError('terminated')
}

const BROKEN: readonly Case[] = [
  {
    name: 'OpenAI, chat',
    ask: async run =>
      breakOff(await openai(run).chat.completions.create({ model: gpt, messages, stream: true })),
  },
  {
    name: 'OpenAI, responses',
    ask: async run =>
      breakOff(await openai(run).responses.create({ model: gpt, input: content, stream: true })),
  },
  {
    name: 'Anthropic',
    model: claude,
    ask: async run =>
      breakOff(
        await anthropic(run).messages.create({ model: claude, max_tokens: 9, messages, stream: true }),
      ),
  },
  {
    name: 'AI SDK 7',
    ask: async run => {
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: content }] }]
      await breakOff((await aiModel(run).doStream({ prompt })).stream)
    },
  },
]

test.each(BROKEN)(
  'a run whose stream of $name breaks off is stored as failed',
  async ({ ask, model = gpt }) => {
    const { run, events, problems } = recording()
    const usage = await run(ask)
    expect(usage).toMatchObject({ model: { model }, incomplete: true })
    expect(events[0]!.metrics).toMatchObject({ success: false, error_type: 'TypeError' })
    expect(problems).toEqual([])
  },
)

test('of a message that broke off the input is known', async () => {
  const { run } = recording()
  const usage = await run(BROKEN[2]!.ask)
  const { output_tokens: _, ...input } = COUNTS
  expect(usage).toMatchObject({ model: input })
})

test.each([
  ['a timeout', Object.assign(new Error('timed out'), { name: 'APIConnectionTimeoutError' }), true],
  ['an answer with a status', Object.assign(new Error('busy'), { status: 503 }), undefined],
  ['the last of several tries', { lastError: { statusCode: 429 } }, undefined],
  ['no connection', new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), undefined],
])('a call that failed by %s', async (_name, error, incomplete) => {
  const { run } = recording()
  const usage = await run(async record => {
    record.call('openai', gpt).failed(error)
    throw new Error('no answer')
  })
  expect(usage).toHaveProperty('model.input_tokens', 0)
  expect((usage as { incomplete?: true }).incomplete).toBe(incomplete)
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
  const { run, lost } = recording()
  const usage = await run(async record => {
    for await (const _ of await openai(record).chat.completions.create({
      model: gpt,
      messages,
      stream: true,
    }))
      break
  })
  expect(usage).toMatch(/^the response has no usage/)
  const cancelled = await run(async record => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: content }] }]
    const { stream } = await aiModel(record).doStream({ prompt })
    await stream.cancel()
  })
  expect(cancelled).toMatch(/^the response has no usage/)
  expect(lost).toHaveLength(2)
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
