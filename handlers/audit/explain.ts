import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { explainAction } from '../../src/features/explain/explain.ts'

export default endpoint({
  route: 'GET /v1/actions/{action_id}/explain',
  access: 'read',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  summary: 'Decide an action again from its evidence',
  description:
    'Each limit with value, interval, runs and verdict, by the rules of the version that decided, and whether the result equals the record.',
  takes: 'AuditExplain',
  answers: { 200: 'Explanation', 400: 'ErrorText', 404: 'ErrorText', 409: 'ErrorText' },
  answer: function auditExplain({ path }, context) {
    return explainAction(context, path.action_id)
  },
})
