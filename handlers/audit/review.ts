import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { actorField, id, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { reviewAction } from '../../src/features/proofs/review.ts'

export default endpoint(
  'POST /v1/actions/{action_id}/review',
  {
    access: 'write',
    scope: { kind: 'action', where: 'path', field: 'action_id' },
    summary: 'Note that a forced action was looked at afterwards',
    description: 'An entry of the audit log; the action stays as it is. An action may be reviewed again.',
    path: { action_id: id('Forced action.') },
    body: fieldsBody({
      reason: prose('What came of the review; kept in the audit log.'),
      actor: actorField('reviews it'),
    }),
    recordsActor: true,
    repeatable: true,
    answers: { 200: 'ActionReview', 400: 'ErrorText', 404: 'ErrorText' },
  },
  async function actionsReview({ path, body, actor }, context) {
    return json(await reviewAction(context, { action_id: path.action_id, reason: body.reason, actor }))
  },
)
