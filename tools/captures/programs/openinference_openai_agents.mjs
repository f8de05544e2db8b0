import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents'
import * as agents from '@openai/agents'
import OpenAI from 'openai'
import { startTracing } from './tracing2.mjs'

const tracing = startTracing()
new OpenAIAgentsInstrumentation({ tracerProvider: tracing }).manuallyInstrument(agents)
const client = new OpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1`, apiKey: 'k', maxRetries: 0 })
agents.setDefaultOpenAIClient(client)
const parameters = {
  type: 'object',
  properties: { order: { type: 'string' } },
  required: ['order'],
  additionalProperties: false,
}
const lookup = agents.tool({ name: 'lookup', description: 'looks up', parameters, execute: () => 'sent' })
const agent = new agents.Agent({ name: 'support-bot', model: 'gpt-5.6', tools: [lookup] })

await agents.run(agent, 'Where is it?')
await agents.getGlobalTraceProvider().forceFlush()
await tracing.forceFlush()
