import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { reviewAction } from '../../src/features/proofs/review.ts'

export default endpoint({
  route: 'POST /v1/actions/{action_id}/review',
  access: 'write',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  summary: 'Record that a forced action was reviewed',
  description: 'An entry of the audit log; the action stays as it is. An action may be reviewed again.',
  takes: 'ActionsReview',
  recordsActor: true,
  repeatable: true,
  answers: { 200: 'ActionReview', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function actionsReview({ path, body, actor }, context) {
    return reviewAction(context, { action_id: path.action_id, reason: body.reason, actor })
  },
})
