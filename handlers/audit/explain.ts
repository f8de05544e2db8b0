import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { explainAction } from '../../src/features/explain/explain.ts'

export default endpoint(
  'GET /v1/actions/{action_id}/explain',
  {
    access: 'read',
    scope: { kind: 'action', where: 'path', field: 'action_id' },
    summary: 'Decide an action again from its evidence',
    description:
      'Each limit with value, interval, runs and verdict, by the rules of the version that decided, and whether that is ' +
      'what the record says.',
    takes: 'AuditExplain',
    answers: { 200: 'Explanation', 400: 'ErrorText', 404: 'ErrorText' },
  },
  async function auditExplain({ path }, context) {
    return json(await explainAction(context, path.action_id))
  },
)
