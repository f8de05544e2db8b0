import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ROLLOUT } from '../../src/features/rollouts/requests.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import { ask } from '../../src/sql/query.ts'

export default endpoint({
  route: 'GET /v1/rollout-requests',
  access: 'read',
  scope: 'filtered',
  summary: 'Requests for rollouts, newest first',
  takes: 'RolloutRequests',
  answers: { 200: 'RolloutRequestList' },
  answer: async function rolloutRequests({ query }, { sql, caller }) {
    return { requests: await ask(sql, listRequests(sql, ROLLOUT, { ...query, scope: caller.scope })) }
  },
})
