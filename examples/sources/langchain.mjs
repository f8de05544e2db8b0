import { ChatOpenAI } from '@langchain/openai'
import { countingCallbacks } from 'release-governance/langchain'
import { RunRecorder } from 'release-governance/record'
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const recorder = new RunRecorder(queue)
const model = new ChatOpenAI({ model: 'gpt-5.6' })

const answer = await recorder.record({ task_id: 'returns' }, async run => {
  const { text } = await model.invoke('Where is my order?', { callbacks: [countingCallbacks(run)] })
  return text
})
process.stdout.write(`${answer}\n`)
await queue.close()
