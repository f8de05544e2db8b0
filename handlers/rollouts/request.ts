import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { json, replayHeaders } from '../../src/http/wire/message.ts'
import { requestRollout } from '../../src/features/rollouts/requests.ts'

export default endpoint({
  route: 'POST /v1/rollouts/request',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Request a rollout that somebody else approves',
  description:
    'Only if promotion_requires_approval is true. Nothing is evaluated yet: the release has no runs. Its completion evaluates, and records who requested and who confirmed.',
  takes: 'RolloutsRequest',
  recordsActor: true,
  idempotent: true,
  answers: { 200: 'RolloutRequest', 400: 'ErrorText', 412: 'StaleBaseline' },
  handle: async function rolloutsRequest({ body, actor, idempotencyKey }, context) {
    const { result, replayed } = await requestRollout(context, { ...body, actor }, idempotencyKey)
    return json(result, 200, replayHeaders(replayed))
  },
})
