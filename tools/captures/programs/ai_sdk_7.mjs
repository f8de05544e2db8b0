import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { createOpenAI } from '@ai-sdk/openai'
import { OpenTelemetry } from '@ai-sdk/otel'
import { generateText, jsonSchema, registerTelemetry, stepCountIs, streamText, tool } from 'ai'

const { CAPTURE_FORMAT = 'http', ONLY, PROVIDER_URL } = process.env
const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${CAPTURE_FORMAT}`)

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const provider = new TracerProvider({
  resource: resourceFromAttributes({
    'service.name': 'support-bot',
    'service.version': '1.5.0',
    'deployment.environment.name': 'prod',
  }),
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
})
trace.setGlobalTracerProvider(provider)
registerTelemetry(new OpenTelemetry())

const model = createOpenAI({ baseURL: `${PROVIDER_URL}/v1`, apiKey: 'k' })('gpt-5.6')
const telemetry = { functionId: 'support-bot' }
const lookup = tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => 'sent' })

await generateText({ model, telemetry, prompt: 'Where is it?', tools: { lookup }, stopWhen: stepCountIs(3) })
await streamText({ model, telemetry, prompt: 'Where is it?' }).consumeStream()
// An exception goes with its stack, which names folders.
if (ONLY !== 'answers')
  await generateText({ model, telemetry, prompt: 'fail', maxRetries: 0 }).catch(() => {})
await provider.shutdown()
