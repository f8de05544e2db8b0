import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { actorField, id, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { rejectRollout } from '../../src/features/rollouts/requests.ts'

export default endpoint(
  'POST /v1/rollouts/reject',
  {
    access: 'write',
    scope: 'checked',
    summary: 'Reject a requested rollout, or call it back',
    description:
      'Who asked for it calls it back; anybody else rejects it. Nothing is rolled out by it any more.',
    body: fieldsBody({
      request_id: id('Request that is meant.'),
      reason: prose('Why; kept with the request.'),
      actor: actorField('rejects it'),
    }),
    recordsActor: true,
    answers: { 200: 'RolloutRequest', 400: 'ErrorText' },
  },
  async function rolloutsReject({ body, actor }, context) {
    return json(await rejectRollout(context, { ...body, actor, scope: context.caller.scope }))
  },
)
