import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import { EventQueue, ServiceClient } from '../../../../../src/sdk/index.ts'
import { RunRecorder } from '../../../../../src/features/recorders/record.ts'
import { eventsOf, queueOn, storingService } from '../../../sdk/support.ts'
import {
  anthropicMessage,
  bedrockConverse,
  geminiContent,
  openaiChat,
} from '../../../../../src/features/recorders/usage.ts'
import { recording } from './support.ts'

afterEach(() => void vi.useRealTimers())

const counts = (input: number, output = 1) => ({
  input_tokens: input,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  output_tokens: output,
})

test('a run becomes an event of the queue, with the fields that it is given', async () => {
  const service = storingService()
  const { queue } = queueOn(service.fetch)
  const recorder = new RunRecorder(queue)
  const answer = await recorder.record({ task_id: 'returns', labels: { plan: 'pro' } }, async run => {
    run.call('openai.responses', 'm1').counted(() => counts(3), 'm1-2026')
    return 42
  })
  await queue.close()
  expect(answer).toBe(42)
  expect(service.seen.flatMap(eventsOf)).toMatchObject([
    {
      agent_id: 'bot',
      release_id: 'rel_1',
      task_id: 'returns',
      labels: { plan: 'pro' },
      metrics: { success: true, error_type: null },
      usage: { model: { provider: 'openai', model: 'm1', input_tokens: 3, output_tokens: 1 } },
    },
  ])
})

test('what the queue has no default for has to be given', () => {
  const queue = new EventQueue(new ServiceClient('http://service.test'), { defaults: { agent_id: 'bot' } })
  const recorder = new RunRecorder(queue)
  type Fields = Parameters<typeof recorder.start>[0]
  expectTypeOf<Fields>().toHaveProperty('release_id')
  expectTypeOf<{ tenant_id: string }>().not.toExtend<Fields>()
})

test('several models in one run', async () => {
  const { run } = recording({ models: ['m1', 'm2-2026'], provider: 'table' })
  const usage = await run(async record => {
    record.call('a', 'm1').counted(() => counts(3))
    record.call('b', 'm2').counted(() => counts(5), 'm2-2026')
    record.call('a', 'm1').counted(() => counts(4))
  })
  expect(usage).toEqual({
    model: { provider: 'table', model: 'm1', input_tokens: 7, cached_input_tokens: 0, output_tokens: 2 },
    models: [
      { provider: 'table', model: 'm2-2026', input_tokens: 5, cached_input_tokens: 0, output_tokens: 1 },
    ],
  })
})

test.each([
  ['calls nothing', [], 'no model call was counted in a run'],
  ['calls a model without a name', ['a', undefined], 'tokens are reported, but not of which model'],
  [
    'calls a provider without a name',
    [undefined, 'm1'],
    'the provider is unknown for m1: set the option `provider`',
  ],
] as const)('a run that %s is left out', async (_name, [provider, model], problem) => {
  const { run } = recording()
  const usage = await run(async record => {
    if (provider !== undefined || model !== undefined) record.call(provider, model).counted(() => counts(3))
  })
  expect(usage).toBe(problem)
})

test('a call that went on for ten minutes behind its run leaves it out', () => {
  vi.useFakeTimers()
  const { recorder, events, problems } = recording()
  const run = recorder.start({} as never)
  const late = run.call('a', 'm1')
  run.end()
  vi.advanceTimersByTime(600_000)
  late.counted(() => counts(3))
  expect([events, problems]).toEqual([
    [],
    ['the answer of a model was not read within 10 minutes of its run'],
  ])
})

test('a call that begins behind its run is told of', () => {
  const { recorder, problems } = recording()
  const run = recorder.start({} as never)
  run.call('a', 'm1').counted(() => counts(3))
  run.end()
  run.call('a', 'm1').counted(() => counts(4))
  expect(problems).toEqual([
    'a model was called after its run had ended: end runs once their streams are read',
  ])
})

test('only the first end of a run and of a call counts', async () => {
  const { recorder, events } = recording()
  const run = recorder.start({} as never)
  const call = run.call('a', 'm1')
  call.counted(() => counts(3))
  call.counted(() => counts(4))
  call.failed()
  run.end()
  run.fail(new Error('late'))
  expect(events).toMatchObject([{ metrics: { success: true }, usage: { model: { input_tokens: 3 } } }])
})

test('neither a queue nor a listener that throws reaches the program', async () => {
  const throws = (): never => {
    throw new Error('as asked')
  }
  const recorder = new RunRecorder({ add: throws, countLost: throws } as never, { onError: throws })
  const answer = await recorder.record({} as never, async run => {
    run.call('a', 'm1').counted(() => counts(3))
    return 42
  })
  expect(answer).toBe(42)
  await expect(recorder.record({} as never, () => Promise.reject(new RangeError('no')))).rejects.toThrow(
    RangeError,
  )
})

test('a queue that throws keeps no reason from the listener', async () => {
  const problems: string[] = []
  const countLost = (): never => {
    throw new Error('as asked')
  }
  const onError = (problem: string): void => void problems.push(problem)
  const recorder = new RunRecorder({ countLost } as never, { onError })
  expect(await recorder.record({} as never, async () => 42)).toBe(42)
  expect(problems).toEqual(['no model call was counted in a run'])
})

test('numbers that cost something and are not counted are told of once', async () => {
  const { recorder, events, problems } = recording()
  const prompt_tokens_details = { audio_tokens: 20, text_tokens: 80, cached_tokens: 0 }
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details,
    cost: 0.1,
  }
  for (let call = 0; call < 2; call += 1) {
    await recorder.record({} as never, async run => {
      run.call('openai', 'gpt-audio').counted(note => openaiChat({ usage }, note))
    })
  }
  const cache_creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 }
  const promptTokensDetails = [
    { modality: 'TEXT', tokenCount: 4 },
    { modality: 'AUDIO', tokenCount: 5 },
  ]
  const cacheDetails = [{ ttl: '1h', inputTokens: 5 }]
  await recorder.record({} as never, async run => {
    run.call('anthropic', 'claude').counted(note => {
      return anthropicMessage({ usage: { input_tokens: 9, output_tokens: 1, cache_creation } }, note)
    })
    run.call('google', 'gemini').counted(note => {
      const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 1, promptTokensDetails }
      return geminiContent({ usageMetadata }, note)
    })
    run.call('bedrock', 'nova').counted(note => {
      return bedrockConverse({ usage: { inputTokens: 9, outputTokens: 1, cacheDetails } }, note)
    })
  })
  expect(events).toHaveLength(3)
  expect(problems).toEqual([
    'prompt_tokens_details.audio_tokens of sdk:openai is not read, and has no price',
    'cost of sdk:openai is not read, and has no price',
    'cache_creation.ephemeral_1h_input_tokens of sdk:anthropic is not read, and has no price',
    'promptTokensDetails.AUDIO of sdk:gemini is not read, and has no price',
    'cacheDetails.write.1h of sdk:bedrock is not read, and has no price',
  ])
})
