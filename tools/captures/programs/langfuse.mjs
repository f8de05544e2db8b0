import { observeOpenAI } from '@langfuse/openai'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { startActiveObservation } from '@langfuse/tracing'
import OpenAI from 'openai'
import { exporter, startTracing } from './tracing2.mjs'

const langfuse = { publicKey: 'pk', secretKey: 'sk', release: '1.5.0', environment: 'prod' }
const tracing = startTracing([new LangfuseSpanProcessor({ ...langfuse, exporter })])
const client = observeOpenAI(
  new OpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1`, apiKey: 'k', maxRetries: 0 }),
)

await startActiveObservation(
  'support-bot',
  () =>
    client.chat.completions.create({
      model: 'gpt-5.6',
      messages: [{ role: 'user', content: 'Where is it?' }],
    }),
  { asType: 'agent' },
)
await tracing.forceFlush()
