import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { showWithHistory } from '../../src/features/rollouts/rows.ts'

export default endpoint({
  route: 'GET /v1/rollouts/{rollout_id}',
  access: 'read',
  scope: 'checked',
  summary: 'One rollout, with its last check and its history',
  takes: 'RolloutsShow',
  answers: { 200: 'RolloutDetail', 404: 'ErrorText' },
  answer: function rolloutsShow({ path }, { sql, caller }) {
    return showWithHistory(sql, path.rollout_id, caller.scope)
  },
})
