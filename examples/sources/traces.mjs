import { OpenTelemetry } from '@ai-sdk/otel'
import { openai } from '@ai-sdk/openai'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { generateText } from 'ai'

const tracing = new TracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
})
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const telemetry = {
  functionId: 'support-bot',
  integrations: new OpenTelemetry({ tracer: tracing.getTracer('support-bot') }),
}

const { text } = await generateText({ model: openai('gpt-5.6'), prompt: 'Where is my order?', telemetry })
process.stdout.write(`${text}\n`)
await tracing.shutdown()
