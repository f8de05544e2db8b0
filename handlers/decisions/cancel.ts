import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { cancelPromotion } from '../../src/ledger/decide/promotion_requests.ts'

export default endpoint({
  route: 'POST /v1/promote/cancel',
  access: 'write',
  scope: { kind: 'request', where: 'body', field: 'request_id' },
  summary: 'Cancel a pending promotion request',
  takes: 'PromoteCancel',
  recordsActor: true,
  answers: { 200: 'PromotionRequest', 400: 'ErrorText' },
  answer: function promoteCancel({ body, actor }, context) {
    return cancelPromotion(context, { ...body, actor })
  },
})
