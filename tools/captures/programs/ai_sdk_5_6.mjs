import { startTracing } from './tracing2.mjs'

const { AI_VERSION, MODEL_PROVIDER, PROVIDER_URL } = process.env
const tracing = startTracing()
const { generateText, jsonSchema, stepCountIs, streamText, tool } = await import(`ai${AI_VERSION}`)
const module = await import(`${MODEL_PROVIDER}${AI_VERSION}`)
const settings = { baseURL: `${PROVIDER_URL}/v1`, apiKey: 'k' }
const model = {
  openai: () => module.createOpenAI(settings)('gpt-5.6'),
  anthropic: () => module.createAnthropic(settings)('claude-opus-5'),
  google: () =>
    module.createGoogleGenerativeAI({ ...settings, baseURL: `${PROVIDER_URL}/v1beta` })('gemini-3-flash'),
}[MODEL_PROVIDER]()

const metadata = { tenant_id: 'acme', task_id: 'returns', session_id: 's-1' }
const experimental_telemetry = { isEnabled: true, functionId: 'support-bot', metadata }
const lookup = tool({ inputSchema: jsonSchema({ type: 'object', properties: {} }), execute: () => 'sent' })
const request = { model, experimental_telemetry, prompt: 'Where is it?' }

await generateText({ ...request, tools: { lookup }, stopWhen: stepCountIs(3) })
await streamText(request).consumeStream()
await generateText({ ...request, prompt: 'fail', maxRetries: 0 }).catch(() => {})
await tracing.forceFlush()
