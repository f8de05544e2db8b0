import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { createOpenAI } from '@ai-sdk/openai'
import { OpenTelemetry } from '@ai-sdk/otel'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outcomeOf, releaseOf } from '../../../../support/otlp/receive.ts'
import { type FakeProvider, fakeProvider } from '../../../../support/providers/fake_provider.ts'
import { traced } from './support.ts'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())

describe('AI SDK 7', () => {
  let provider: FakeProvider
  beforeAll(async () => {
    provider = await fakeProvider()
  })
  afterAll(() => provider.close())

  test('runs, streamed and failed ones too, become the events that the service makes of their export', async () => {
    const { runs, problems, exporter, provider: tracing } = traced({ agent_id: 'support-bot' })
    const integrations = new OpenTelemetry({ tracer: tracing.getTracer('gen_ai') })
    const telemetry = { functionId: 'support-bot', integrations }
    const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'k' })('gpt-5.6')
    const inputSchema = jsonSchema<object>({ type: 'object', properties: {} })
    const lookup = tool({ inputSchema, execute: () => 'sent' })
    await generateText({ model, telemetry, prompt: 'Where?', tools: { lookup }, stopWhen: stepCountIs(3) })
    await streamText({ model, telemetry, prompt: 'Where?' }).consumeStream()
    await generateText({ model, telemetry, prompt: 'fail', maxRetries: 0 }).catch(() => {})
    expect(problems).toEqual([])
    const bytes = Uint8Array.from(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans())!)
    const release = releaseOf({
      agent_id: 'support-bot',
      model: 'gpt-5.6',
      pricing: { provider: 'openai', pricing_version: 'v1' },
      models: new Set(['gpt-5.6']),
    })
    const { events } = await outcomeOf({ bytes, format: 'json', encoding: null }, [release], Date.now())
    expect(events).toHaveLength(3)
    // The processor leaves times to first token to the service: what a page loads of it has a bound.
    expect(runs).toEqual(
      events.map(({ environment: _env, tenant_id: _tenant, task_id: _task, metrics, ...event }) => {
        const { ttft_ms: _ttft, ...others } = metrics
        return { ...event, metrics: others }
      }),
    )
  })
})
