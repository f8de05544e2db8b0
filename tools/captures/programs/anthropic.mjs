import Anthropic from '@anthropic-ai/sdk'
import { inSpan, startTracing } from './tracing2.mjs'

// The SDK emits its spans by itself, under whatever tracer provider is global.
const tracing = startTracing()
const client = new Anthropic({ baseURL: process.env.PROVIDER_URL, apiKey: 'k', maxRetries: 0 })
const request = {
  model: 'claude-opus-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Where is it?' }],
}

await inSpan(
  'invoke_agent support-bot',
  { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'support-bot' },
  async () => {
    await client.messages.create(request)
    await client.messages.stream(request).finalMessage()
  },
)
// One call more, of which no agent knows.
await client.messages.create(request)
await tracing.forceFlush()
