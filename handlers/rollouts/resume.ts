import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { resumeRollout } from '../../src/features/rollouts/change.ts'

export default endpoint({
  route: 'POST /v1/rollouts/{rollout_id}/resume',
  access: 'write',
  scope: 'checked',
  summary: 'Resume a paused rollout',
  description:
    'It advances again. At the last step it is evaluated again, by intervals that are valid at any check.',
  takes: 'RolloutsResume',
  recordsActor: true,
  answers: { 200: 'Rollout', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function rolloutsResume({ path, body, actor }, context) {
    return resumeRollout(context, { ...body, ...path, actor, scope: context.caller.scope })
  },
})
