import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { abortRollout } from '../../src/features/rollouts/change.ts'

export default endpoint({
  route: 'POST /v1/rollouts/{rollout_id}/abort',
  access: 'write',
  scope: 'checked',
  summary: 'End a rollout',
  description:
    'All units get the live release within the lease of 60 seconds. After completion it ends the holdback.',
  takes: 'RolloutsAbort',
  recordsActor: true,
  answers: { 200: 'Rollout', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function rolloutsAbort({ path, body, actor }, context) {
    return abortRollout(context, { ...body, ...path, actor, scope: context.caller.scope })
  },
})
