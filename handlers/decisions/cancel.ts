import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { cancelPromotion } from '../../src/ledger/decide/promotion_requests.ts'

export default endpoint(
  'POST /v1/promote/cancel',
  {
    access: 'write',
    scope: { kind: 'request', where: 'body', field: 'request_id' },
    summary: 'Cancel a pending promotion request',
    takes: 'PromoteCancel',
    recordsActor: true,
    answers: { 200: 'PromotionRequest', 400: 'ErrorText' },
  },
  async function promoteCancel({ body, actor }, context) {
    return json(await cancelPromotion(context, { ...body, actor }))
  },
)
