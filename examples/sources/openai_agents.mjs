import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { countedModels } from 'release-governance/openai-agents'
import { RunRecorder } from 'release-governance/record'
import { EventQueue, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_INGEST_TOKEN, RELEASE_ID } = process.env
const queue = new EventQueue(new ServiceClient(SERVICE_URL, { token: SERVICE_INGEST_TOKEN }), {
  defaults: { agent_id: 'support-bot', release_id: RELEASE_ID, environment: 'prod', tenant_id: 'acme' },
})
const recorder = new RunRecorder(queue)
const provider = new OpenAIProvider()
const agent = new Agent({ name: 'support-bot', instructions: 'Be brief.', model: 'gpt-5.6' })

const answer = await recorder.record({ task_id: 'returns' }, async run => {
  const runner = new Runner({ modelProvider: countedModels(provider, run), tracingDisabled: true })
  const { finalOutput } = await runner.run(agent, 'Where is my order?')
  return finalOutput
})
process.stdout.write(`${answer}\n`)
await queue.close()
