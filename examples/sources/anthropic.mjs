import Anthropic from '@anthropic-ai/sdk'
import { countedAnthropic } from 'release-governance/anthropic'
import { RunRecorder } from 'release-governance/record'
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const recorder = new RunRecorder(queue)
const client = new Anthropic()

const answer = await recorder.record({ task_id: 'returns' }, async run => {
  const anthropic = countedAnthropic(client, run)
  const messages = [{ role: 'user', content: 'Where is my order?' }]
  const stream = anthropic.messages.stream({ model: 'claude-opus-5', max_tokens: 1000, messages })
  return await stream.finalText()
})
process.stdout.write(`${answer}\n`)
await queue.close()
