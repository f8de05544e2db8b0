import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRolloutRequests } from '../../src/features/rollouts/requests.ts'
import { REQUEST_STATES } from '../../src/models/names.ts'

export default endpoint(
  'GET /v1/rollout-requests',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Requests for rollouts, newest first',
    query: {
      status: optional(choice('Only requests in this state.', REQUEST_STATES)),
      limit: integer('Most requests to return.', { default: 50, min: 1, max: 500 }),
    },
    answers: { 200: 'RolloutRequestList' },
  },
  async function rolloutRequests({ query }, { sql, caller }) {
    return json({ requests: await listRolloutRequests(sql, { ...query, scope: caller.scope }) })
  },
)
