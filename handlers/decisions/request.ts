import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, replayHeaders } from '../../src/http/wire/message.ts'
import { requestPromotion } from '../../src/ledger/decide/promotion_requests.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'POST /v1/promote/request',
  access: 'write',
  scope: ofRelease('body'),
  summary: 'Request a promotion that somebody else confirms',
  description: 'Only if promotion_requires_approval is true. Blocked by policy: 409, and no request is made.',
  takes: 'PromoteRequest',
  recordsActor: true,
  idempotent: true,
  answers: { 200: 'PromotionRequest', 400: 'ErrorText', 409: 'RequestBlocked', 412: 'StaleBaseline' },
  handle: async function promoteRequest({ body, actor, idempotencyKey }, context) {
    const { result, replayed } = await requestPromotion(context, { ...body, actor }, idempotencyKey)
    if (result.passed) return json(result.request, 200, replayHeaders(replayed))
    const detail = { message: 'Promotion request blocked by policy.', policy: result.policy }
    return json({ detail }, 409, replayHeaders(replayed))
  },
})
