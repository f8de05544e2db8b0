import { createOpenAI } from '@ai-sdk/openai'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'

const { PROVIDER_URL, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint } = process.env
const openai = createOpenAI({ baseURL: `${PROVIDER_URL}/v1`, apiKey: 'sk-capture' })
const agent = new Agent({
  id: 'support-bot',
  name: 'support-bot',
  instructions: 'Help.',
  model: openai.chat('gpt-5.6'),
})
const exporter = new OtelExporter({
  provider: { custom: { endpoint, protocol: 'http/protobuf' } },
  resourceAttributes: { 'release_governance.release_id': 'rel_1' },
})
const observability = new Observability({
  configs: { otel: { serviceName: 'support-bot', exporters: [exporter] } },
})
const mastra = new Mastra({ agents: { agent }, observability })
await mastra.getAgent('agent').generate('Where is my order 4711?')
await observability.shutdown()
process.exit(0)
