import * as ai7 from 'ai'
import { expect, test } from 'vitest'
import { countingCallbacks } from '../../../../../src/features/recorders/langchain.ts'
import { ANSWER, COUNTS } from '../../../../support/providers/vector.ts'
import { recording } from './support.ts'
import {
  type Case,
  agentRun,
  aiModel,
  anthropic,
  chatModel,
  claude,
  content,
  gpt,
  lookup,
  messages,
  openai,
  read,
  withProvider,
} from './clients.ts'

withProvider()

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
      const request = { model: gpt, messages, stream: true as const }
      const chunks = await read(await openai(run).chat.completions.create(request))
      return chunks.map(({ choices }) => choices[0]!.delta.content ?? '').join('')
    },
  },
  {
    name: 'OpenAI chat, streamed and asked for usage',
    ask: async run => {
      const request = { model: gpt, messages, stream: true as const, stream_options: { include_usage: true } }
      const chunks = await read(await openai(run).chat.completions.create(request))
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
      const request = { model: gpt, messages, stream: true as const }
      const [left, right] = (await openai(run).chat.completions.create(request)).tee()
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
      const request = { model: claude, max_tokens: 9, messages, stream: true as const }
      const items = await read(await anthropic(run).messages.create(request))
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
      const request = {
        model: aiModel(run),
        prompt: content,
        tools: { lookup },
        stopWhen: ai7.stepCountIs(3),
      }
      return (await ai7.generateText(request)).text
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
