import { EventQueue, ServiceClient } from 'release-governance/sdk'
import { geminiContent } from 'release-governance/usage'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID, GEMINI_URL, GEMINI_API_KEY } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const model = 'gemini-3-flash'

const startedAt = performance.now()
const response = await fetch(`${GEMINI_URL}/models/${model}:generateContent`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-goog-api-key': GEMINI_API_KEY },
  body: JSON.stringify({ contents: [{ parts: [{ text: 'Where is my order?' }] }] }),
})
const said = await response.json()
queue.add({
  task_id: 'returns',
  metrics: { success: true, latency_ms: Math.round(performance.now() - startedAt), error_type: null },
  // Throws where the response does not say what was used: a run that looks free would be a wrong one.
  usage: { model: { provider: 'google', model, ...geminiContent(said) } },
})
process.stdout.write(`${said.candidates[0].content.parts[0].text}\n`)
await queue.close()
