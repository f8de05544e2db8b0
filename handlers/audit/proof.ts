import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { proveAction } from '../../src/features/proofs/prove.ts'

export default endpoint(
  'GET /v1/actions/{action_id}/proof',
  {
    access: 'read',
    scope: { kind: 'action', where: 'path', field: 'action_id' },
    concurrency: { most: 1 },
    summary: 'The proof that an action is in the audit log',
    description: 'It shows one decision to others, without the rest of the ledger.',
    takes: 'ActionsProof',
    answers: { 200: 'ActionProof', 400: 'ErrorText', 404: 'ErrorText', 409: 'ErrorText' },
  },
  async function actionsProof({ path }, context) {
    return json(await proveAction(context, path.action_id))
  },
)
