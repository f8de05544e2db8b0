import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRolloutRequests } from '../../src/features/rollouts/requests.ts'

export default endpoint(
  'GET /v1/rollout-requests',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Requests for rollouts, newest first',
    takes: 'RolloutRequests',
    answers: { 200: 'RolloutRequestList' },
  },
  async function rolloutRequests({ query }, { sql, caller }) {
    return json({ requests: await listRolloutRequests(sql, { ...query, scope: caller.scope }) })
  },
)
