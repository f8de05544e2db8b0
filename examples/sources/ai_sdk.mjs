import { openai } from '@ai-sdk/openai'
import { generateText } from 'ai'
import { countedModel } from 'release-governance/ai-sdk'
import { RunRecorder } from 'release-governance/record'
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const recorder = new RunRecorder(queue)

const answer = await recorder.record({ task_id: 'returns' }, async run => {
  const model = countedModel(openai('gpt-5.6'), run)
  const { text } = await generateText({ model, prompt: 'Where is my order?' })
  return text
})
process.stdout.write(`${answer}\n`)
await queue.close()
