import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listRollouts } from '../../src/features/rollouts/rows.ts'

export default endpoint({
  route: 'GET /v1/rollouts',
  access: 'read',
  scope: 'filtered',
  summary: 'Rollouts, newest first',
  takes: 'RolloutsList',
  answers: { 200: 'RolloutList' },
  answer: async function rolloutsList({ query }, { sql, caller }) {
    return { rollouts: await listRollouts(sql, { ...query, scope: caller.scope }) }
  },
})
