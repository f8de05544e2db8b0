import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import * as callbacks from '@langchain/core/callbacks/manager'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { startTracing } from './tracing2.mjs'

const tracing = startTracing()
const instrumentation = new LangChainInstrumentation()
instrumentation.setTracerProvider(tracing)
instrumentation.manuallyInstrument(callbacks)
const model = new ChatOpenAI({
  model: 'gpt-5.6',
  apiKey: 'k',
  maxRetries: 0,
  configuration: { baseURL: `${process.env.PROVIDER_URL}/v1` },
})
const schema = { type: 'object', properties: { order: { type: 'string' } } }
const lookup = tool(() => 'sent', { name: 'lookup', description: 'looks up', schema })
const agent = createAgent({ name: 'support-bot', model, tools: [lookup] })

await agent.invoke(
  { messages: [{ role: 'user', content: 'Where is it?' }] },
  { configurable: { thread_id: 's-1' } },
)
await tracing.forceFlush()
