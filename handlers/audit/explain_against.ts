import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { explainAction } from '../../src/features/explain/explain.ts'

export default endpoint({
  route: 'POST /v1/actions/{action_id}/explain',
  access: 'read',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  summary: 'Decide an action again by another policy',
  description:
    'From the evidence alone, by the rules of this version; promotes_from and freezes decide as they did. A limit without evidence is unknown. Writes nothing.',
  takes: 'AuditExplainAgainst',
  answers: { 200: 'Explanation', 400: 'ErrorText', 404: 'ErrorText', 409: 'ErrorText' },
  answer: function auditExplainAgainst({ path, body }, context) {
    return explainAction(context, path.action_id, body.policy)
  },
})
