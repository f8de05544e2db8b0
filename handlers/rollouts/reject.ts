import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { rejectRollout } from '../../src/features/rollouts/requests.ts'

export default endpoint(
  'POST /v1/rollouts/reject',
  {
    access: 'write',
    scope: 'checked',
    summary: 'Reject or withdraw a requested rollout',
    description: 'Its requester withdraws it; anybody else rejects it.',
    takes: 'RolloutsReject',
    recordsActor: true,
    answers: { 200: 'RolloutRequest', 400: 'ErrorText' },
  },
  async function rolloutsReject({ body, actor }, context) {
    return json(await rejectRollout(context, { ...body, actor, scope: context.caller.scope }))
  },
)
