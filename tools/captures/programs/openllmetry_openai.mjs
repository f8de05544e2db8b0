import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai'
import OpenAI from 'openai'
import { inSpan, startTracing } from './tracing2.mjs'

const tracing = startTracing()
const instrumentation = new OpenAIInstrumentation()
instrumentation.setTracerProvider(tracing)
instrumentation.manuallyInstrument(OpenAI)
const client = new OpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1`, apiKey: 'k', maxRetries: 0 })

await inSpan('support-bot.workflow', { 'traceloop.span.kind': 'workflow' }, () =>
  client.chat.completions.create({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'Where is it?' }] }),
)
await tracing.forceFlush()
