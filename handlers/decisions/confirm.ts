import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { outcomeReply } from './_fields.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, optional, prose } from '../../src/http/endpoint/fields.ts'
import { confirmPromotion } from '../../src/ledger/decisions/requests.ts'

export default endpoint(
  'POST /v1/promote/confirm',
  {
    access: 'write',
    scope: { kind: 'request', where: 'body', field: 'request_id' },
    summary: 'Confirm a requested promotion',
    description:
      'Evaluates again, against what is promoted now, and settles the request if the policy passes. ' +
      'Blocked: 409, recorded, and the request stays pending.',
    body: fieldsBody({
      request_id: id('Request to confirm.'),
      approval_reason: prose('Why it is approved; kept in the audit trail.'),
      actor: optional(id('Who confirms, unless an identity header says so. Default http.')),
    }),
    idempotent: true,
    answers: { 200: 'Outcome', 400: 'ErrorText', 409: 'Blocked' },
  },
  async function promoteConfirm({ body, actor, idempotencyKey }, context) {
    return outcomeReply(await confirmPromotion(context, { ...body, actor }, idempotencyKey))
  },
)
