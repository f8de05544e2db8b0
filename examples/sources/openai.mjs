import OpenAI from 'openai'
import { countedOpenAI } from 'release-governance/openai'
import { RunRecorder } from 'release-governance/record'
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const recorder = new RunRecorder(queue)
const client = new OpenAI()

const answer = await recorder.record({ task_id: 'returns' }, async run => {
  const openai = countedOpenAI(client, run)
  const messages = [{ role: 'user', content: 'Where is my order?' }]
  const stream = await openai.chat.completions.create({ model: 'gpt-5.6', messages, stream: true })
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  return text
})
process.stdout.write(`${answer}\n`)
await queue.close()
