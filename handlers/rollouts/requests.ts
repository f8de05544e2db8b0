import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { ROLLOUT } from '../../src/features/rollouts/requests.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'

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
    return json({ requests: await listRequests(sql, ROLLOUT, { ...query, scope: caller.scope }) })
  },
)
