import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { showAction } from '../../src/ledger/decide/trail.ts'

export default endpoint(
  'GET /v1/actions/{action_id}',
  {
    access: 'read',
    scope: { kind: 'action', where: 'path', field: 'action_id' },
    summary: 'One action with its evidence',
    description:
      'The evidence of the decision, who requested it and how that is known, and its links in the hash chain.',
    takes: 'ActionsShow',
    answers: { 200: 'ActionDetail', 404: 'ErrorText' },
  },
  async function actionsShow({ path }, { sql }) {
    return json(await showAction(sql, path.action_id))
  },
)
