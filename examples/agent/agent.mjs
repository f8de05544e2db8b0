// A support agent that sends a run event per answer.
//   SERVICE_URL=http://127.0.0.1:8765 RELEASE_ID=rel_… MODEL_URL=https://…/v1 node agent.mjs "Where is my order?"
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const {
  SERVICE_URL,
  SERVICE_LOCAL_API_TOKEN,
  RELEASE_ID,
  MODEL_URL,
  MODEL_API_KEY,
  MODEL = 'gpt-4.1-mini',
} = process.env

const questions = process.argv.slice(2)
if (!SERVICE_URL || !RELEASE_ID || !MODEL_URL || questions.length === 0) {
  process.stderr.write('usage: SERVICE_URL=… RELEASE_ID=… MODEL_URL=… node agent.mjs QUESTION…\n')
  process.exit(1)
}

const client = new ServiceClient(SERVICE_URL, { token: SERVICE_LOCAL_API_TOKEN })
const events = new EventQueue(client, {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})

for (const question of questions) {
  process.stdout.write(`${await answer(question)}\n`)
}
// What is left would go out at the end anyway; this says how it went.
const { sent, dropped } = await events.close()
process.stderr.write(`run events: ${sent} sent, ${dropped} dropped\n`)

async function answer(question) {
  const startedAt = performance.now()
  const { text, usage, error_type } = await askModel(question)
  events.add({
    task_id: 'question',
    metrics: {
      success: error_type === null,
      latency_ms: Math.round(performance.now() - startedAt),
      error_type,
    },
    usage: { model: { provider: 'openai', model: MODEL, ...usage } },
  })
  return text
}

/** Any service that speaks the chat completions protocol. */
async function askModel(question) {
  try {
    const response = await fetch(`${MODEL_URL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_API_KEY}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: question }] }),
    })
    if (!response.ok) return failed(`http_${response.status}`)
    const { choices, usage } = await response.json()
    const cached = usage.prompt_tokens_details?.cached_tokens ?? 0
    return {
      text: choices[0].message.content,
      // prompt_tokens counts the cached ones as well; they have a price of their own.
      usage: {
        input_tokens: usage.prompt_tokens - cached,
        cached_input_tokens: cached,
        output_tokens: usage.completion_tokens,
      },
      error_type: null,
    }
  } catch {
    return failed('network')
  }
}

function failed(error_type) {
  return { text: 'Sorry, ask me again later.', usage: { input_tokens: 0, output_tokens: 0 }, error_type }
}
