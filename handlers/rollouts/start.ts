import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json, replayHeaders } from '../../src/http/wire/message.ts'
import { startRollout } from '../../src/features/rollouts/start.ts'
import { blockedReply } from './_blocked.ts'

export default endpoint({
  route: 'POST /v1/rollouts',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Roll a release out step by step',
  description:
    'Splits sessions, tenants or users by chance between the live release and this one, a larger share with each step, and promotes it at the end if the policy passes. Proven harm ends it at any time. Blocked by a freeze or by the order of environments: 409, recorded unless it is a dry run.',
  takes: 'RolloutsStart',
  recordsActor: true,
  idempotent: true,
  answers: { 200: 'StartedRollout', 400: 'ErrorText', 409: 'RolloutBlocked', 412: 'StaleBaseline' },
  handle: async function rolloutsStart({ body, actor, idempotencyKey }, context) {
    const { result, replayed } = await startRollout(context, { ...body, actor }, idempotencyKey)
    if ('blocked' in result) return blockedReply(result, replayed)
    return json(result, 200, replayHeaders(replayed))
  },
})
