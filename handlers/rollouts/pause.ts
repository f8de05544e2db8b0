import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { pauseRollout } from '../../src/features/rollouts/change.ts'

export default endpoint(
  'POST /v1/rollouts/{rollout_id}/pause',
  {
    access: 'write',
    scope: 'checked',
    summary: 'Pause a rollout',
    description: 'The split stays as it is and the guard goes on, but nothing advances.',
    takes: 'RolloutsPause',
    recordsActor: true,
    answers: { 200: 'Rollout', 400: 'ErrorText', 404: 'ErrorText' },
  },
  async function rolloutsPause({ path, body, actor }, context) {
    return json(await pauseRollout(context, { ...body, ...path, actor, scope: context.caller.scope }))
  },
)
