import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rejectRollout } from '../../src/features/rollouts/requests.ts'

export default endpoint({
  route: 'POST /v1/rollouts/reject',
  access: 'write',
  scope: 'checked',
  summary: 'Reject or withdraw a requested rollout',
  description: 'Its requester withdraws it; anybody else rejects it.',
  takes: 'RolloutsReject',
  recordsActor: true,
  answers: { 200: 'RolloutRequest', 400: 'ErrorText' },
  answer: function rolloutsReject({ body, actor }, context) {
    return rejectRollout(context, { ...body, actor, scope: context.caller.scope })
  },
})
