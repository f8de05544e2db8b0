import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { actorField, id, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { cancelPromotion } from '../../src/ledger/decide/requests.ts'

export default endpoint(
  'POST /v1/promote/cancel',
  {
    access: 'write',
    scope: { kind: 'request', where: 'body', field: 'request_id' },
    summary: 'Cancel a pending promotion request',
    body: fieldsBody({
      request_id: id('Request to cancel.'),
      reason: prose('Why; kept with the request.'),
      actor: actorField('cancels'),
    }),
    recordsActor: true,
    answers: { 200: 'PromotionRequest', 400: 'ErrorText' },
  },
  async function promoteCancel({ body, actor }, context) {
    return json(await cancelPromotion(context, { ...body, actor }))
  },
)
