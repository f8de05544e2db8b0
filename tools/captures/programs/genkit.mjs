import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { openAICompatible } from '@genkit-ai/compat-oai'
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { genkit } from 'genkit'
import { enableTelemetry, flushTracing } from 'genkit/tracing'

await enableTelemetry({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
const { PROVIDER_URL } = process.env
const ai = genkit({
  plugins: [openAICompatible({ name: 'openai', apiKey: 'sk-capture', baseURL: `${PROVIDER_URL}/v1` })],
})
const answer = ai.defineFlow('support-bot', async prompt => {
  const { text } = await ai.generate({ model: 'openai/gpt-5.6', prompt })
  return text
})
await answer('Where is my order 4711?')
await flushTracing()
process.exit(0)
