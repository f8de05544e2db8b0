import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { showAction } from '../../src/ledger/decide/trail.ts'

export default endpoint({
  route: 'GET /v1/actions/{action_id}',
  access: 'read',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  summary: 'One action with its evidence',
  description:
    'The evidence of the decision, who requested it and how the service knows them, and its links in the hash chain.',
  takes: 'ActionsShow',
  answers: { 200: 'ActionDetail', 404: 'ErrorText' },
  answer: function actionsShow({ path }, { sql }) {
    return showAction(sql, path.action_id)
  },
})
