import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { showRollout } from '../../src/features/rollouts/rows.ts'
import { rolloutPath } from './_fields.ts'

export default endpoint(
  'GET /v1/rollouts/{rollout_id}',
  {
    access: 'read',
    scope: 'checked',
    summary: 'One rollout, with what was seen last',
    path: rolloutPath,
    answers: { 200: 'Rollout', 404: 'ErrorText' },
  },
  async function rolloutsShow({ path }, { sql, caller }) {
    return json(await showRollout(sql, path.rollout_id, caller.scope))
  },
)
