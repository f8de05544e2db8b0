// A support agent of which two releases run side by side: each session is answered by the one that a rollout assigns it.
//   SERVICE_URL=http://127.0.0.1:8765 node rollout.mjs support-bot prod 200
import { EventQueue, PointerCache, ServiceClient } from 'release-governance/sdk'

const { SERVICE_URL, SERVICE_LOCAL_API_TOKEN } = process.env
const [agent_id, environment, sessions = '1'] = process.argv.slice(2)
if (!SERVICE_URL || !agent_id || !environment) {
  process.stderr.write('usage: SERVICE_URL=… node rollout.mjs AGENT_ID ENVIRONMENT [SESSIONS]\n')
  process.exit(1)
}

const client = new ServiceClient(SERVICE_URL, { token: SERVICE_LOCAL_API_TOKEN })
const live = new PointerCache(client)
const events = new EventQueue(client, {
  defaults: { agent_id, environment, tenant_id: 'acme', task_id: 'question' },
})

const answered = {}
for (let session = 0; session < Number(sessions); session++) {
  const session_id = crypto.randomUUID()
  const pointer = await live.get(agent_id, environment)
  if (pointer === undefined) throw new Error(`Nothing of ${agent_id} is live in ${environment}`)
  // All runs of a session are on one release; `request.session_id` says to the service which session it was.
  const { release_id, version } = pointer.assign(session_id)
  events.add({ release_id, request: { session_id }, ...answer(version) })
  answered[version] = (answered[version] ?? 0) + 1
}
for (const [version, count] of Object.entries(answered)) {
  process.stdout.write(`version ${version} answered ${count} sessions\n`)
}
await events.close()
live.close()

/** In place of a model. Version 2 was given a prompt that its tool takes for a command in every other run. */
function answer(version) {
  const success = version !== '2' || Math.random() < 0.5
  return {
    metrics: {
      success,
      latency_ms: Math.round(250 + 100 * Math.random()),
      error_type: success ? null : 'tool',
    },
    usage: {
      model: { provider: 'acme', model: 'm1', input_tokens: 900, output_tokens: 120, cached_input_tokens: 0 },
    },
  }
}
