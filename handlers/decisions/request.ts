import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { proposalFields } from './_fields.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { answerOnce } from '../../src/http/once.ts'
import type { RecordedAnswer } from '../../src/ledger/chain/idempotency.ts'
import { type RequestResult, requestPromotion } from '../../src/ledger/decisions/requests.ts'

export default endpoint(
  'POST /v1/promote/request',
  {
    access: 'write',
    summary: 'Request a promotion that somebody else confirms',
    description:
      'Only where promotion_requires_approval is true. Blocked by policy: 409, and no request is made.',
    body: fieldsBody(proposalFields),
    idempotent: true,
    answers: { 200: 'PromotionRequest', 400: 'ErrorText', 409: 'RequestBlocked' },
  },
  async function promoteRequest({ body, actor, idempotencyKey }, context) {
    return answerOnce(context, idempotencyKey, answerRequest, once =>
      requestPromotion(context, { ...body, actor }, once),
    )
  },
)

function answerRequest(result: RequestResult): RecordedAnswer {
  return result.passed
    ? { status: 200, body: result.request }
    : {
        status: 409,
        body: { detail: { message: 'Promotion request blocked by policy.', policy: result.policy } },
      }
}
