import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, replayHeaders } from '../../src/http/wire/message.ts'
import { confirmRollout } from '../../src/features/rollouts/requests.ts'
import { blockedReply } from './_blocked.ts'

export default endpoint({
  route: 'POST /v1/rollouts/confirm',
  access: 'write',
  scope: 'checked',
  summary: 'Confirm a requested rollout',
  description:
    'The last confirmation starts the rollout. If it needs several (approvals_required), all but the last answer 202 with the request. Blocked by a freeze or by the order of environments: 409, recorded, and the request stays pending.',
  takes: 'RolloutsConfirm',
  recordsActor: true,
  idempotent: true,
  answers: {
    200: 'Rollout',
    202: 'RolloutRequest',
    400: 'ErrorText',
    409: 'RolloutBlocked',
    412: 'StaleBaseline',
  },
  handle: async function rolloutsConfirm({ body, actor, idempotencyKey }, context) {
    const { scope } = context.caller
    const { result, replayed } = await confirmRollout(context, { ...body, actor, scope }, idempotencyKey)
    if ('blocked' in result) return blockedReply(result, replayed)
    return json(result, 'status' in result ? 202 : 200, replayHeaders(replayed))
  },
})
