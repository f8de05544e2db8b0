import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rejectPromotion } from '../../src/ledger/decide/promotion_requests.ts'

export default endpoint({
  route: 'POST /v1/promote/reject',
  access: 'write',
  scope: { kind: 'request', where: 'body', field: 'request_id' },
  summary: 'Reject a promotion request',
  description: 'Its status becomes cancelled, and its resolution rejected.',
  takes: 'PromoteReject',
  recordsActor: true,
  answers: { 200: 'PromotionRequest', 400: 'ErrorText' },
  answer: function promoteReject({ body, actor }, context) {
    return rejectPromotion(context, { ...body, actor })
  },
})
