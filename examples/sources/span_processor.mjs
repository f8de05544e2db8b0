import { OpenTelemetry } from '@ai-sdk/otel'
import { openai } from '@ai-sdk/openai'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import { generateText } from 'ai'
import { RunSpanProcessor } from 'release-governance/otel'
import { EventClient, EventQueue } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new EventClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { environment: 'prod', tenant_id: 'acme', task_id: 'returns' },
})
const runs = new RunSpanProcessor(queue, { agent_id: 'support-bot', release_id: RELEASE_ID })
const tracing = new TracerProvider({ spanProcessors: [runs] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const telemetry = {
  functionId: 'support-bot',
  integrations: new OpenTelemetry({ tracer: tracing.getTracer('support-bot') }),
}

const { text } = await generateText({ model: openai('gpt-5.6'), prompt: 'Where is my order?', telemetry })
process.stdout.write(`${text}\n`)
await tracing.shutdown()
await queue.close()
