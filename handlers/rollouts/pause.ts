import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { pauseRollout } from '../../src/features/rollouts/change.ts'

export default endpoint({
  route: 'POST /v1/rollouts/{rollout_id}/pause',
  access: 'write',
  scope: 'checked',
  summary: 'Pause a rollout',
  description: 'The split stays as it is and the guard still measures, but nothing advances.',
  takes: 'RolloutsPause',
  recordsActor: true,
  answers: { 200: 'Rollout', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function rolloutsPause({ path, body, actor }, context) {
    return pauseRollout(context, { ...body, ...path, actor, scope: context.caller.scope })
  },
})
