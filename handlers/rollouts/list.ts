import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRollouts } from '../../src/features/rollouts/rows.ts'

export default endpoint(
  'GET /v1/rollouts',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Rollouts, newest first',
    takes: 'RolloutsList',
    answers: { 200: 'RolloutList' },
  },
  async function rolloutsList({ query }, { sql, caller }) {
    return json({ rollouts: await listRollouts(sql, { ...query, scope: caller.scope }) })
  },
)
