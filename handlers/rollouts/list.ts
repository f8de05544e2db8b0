import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, id, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRollouts } from '../../src/features/rollouts/rows.ts'
import { ROLLOUT_STATES } from '../../src/models/names.ts'

export default endpoint(
  'GET /v1/rollouts',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Rollouts, newest first',
    query: {
      agent: optional(id('Only this agent_id.')),
      env: optional(id('Only this environment.')),
      state: optional(choice('Only rollouts in this state.', ROLLOUT_STATES)),
      limit: integer('Most rollouts to return.', { default: 50, min: 1, max: 500 }),
    },
    answers: { 200: 'RolloutList' },
  },
  async function rolloutsList({ query }, { sql, caller }) {
    return json({ rollouts: await listRollouts(sql, { ...query, scope: caller.scope }) })
  },
)
