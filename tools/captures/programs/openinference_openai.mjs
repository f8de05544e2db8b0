import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import OpenAI from 'openai'
import { inSpan, startTracing } from './tracing2.mjs'

const tracing = startTracing()
const instrumentation = new OpenAIInstrumentation()
instrumentation.setTracerProvider(tracing)
instrumentation.manuallyInstrument(OpenAI)
const client = new OpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1`, apiKey: 'k', maxRetries: 0 })

await inSpan(
  'support-bot',
  { 'openinference.span.kind': 'AGENT', 'agent.name': 'support-bot', 'session.id': 's-1' },
  async () => {
    await client.chat.completions.create({
      model: 'gpt-5.6',
      messages: [{ role: 'user', content: 'Where is it?' }],
    })
    for await (const _ of await client.responses.create({ model: 'gpt-5.6', input: 'Where?', stream: true }));
  },
)
await tracing.forceFlush()
