import { outcomeReply } from './_outcome.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json, replayHeaders } from '../../src/http/wire/message.ts'
import { confirmPromotion } from '../../src/ledger/decide/promotion_requests.ts'

export default endpoint({
  route: 'POST /v1/promote/confirm',
  access: 'write',
  scope: { kind: 'request', where: 'body', field: 'request_id' },
  summary: 'Confirm a requested promotion',
  description:
    'Evaluates again, against the live release, and completes the request if the policy passes. Blocked: 409, recorded, and the request stays pending. If it needs several confirmations (approvals_required), all but the last answer 202 with the request.',
  takes: 'PromoteConfirm',
  recordsActor: true,
  idempotent: true,
  answers: {
    200: 'Outcome',
    202: 'PromotionRequest',
    400: 'ErrorText',
    409: 'Blocked',
    412: 'StaleBaseline',
  },
  handle: async function promoteConfirm({ body, actor, idempotencyKey }, context) {
    const { result, replayed } = await confirmPromotion(context, { ...body, actor }, idempotencyKey)
    if ('request_id' in result) return json(result, 202, replayHeaders(replayed))
    return outcomeReply({ result, replayed })
  },
})
