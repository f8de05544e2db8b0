import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { proveAction } from '../../src/features/proofs/prove.ts'

export default endpoint({
  route: 'GET /v1/actions/{action_id}/proof',
  access: 'read',
  scope: { kind: 'action', where: 'path', field: 'action_id' },
  concurrency: { most: 1 },
  summary: 'The proof that an action is in the audit log',
  description: 'It shows one decision to others, without the rest of the ledger.',
  takes: 'ActionsProof',
  answers: { 200: 'ActionProof', 400: 'ErrorText', 404: 'ErrorText', 409: 'ErrorText' },
  answer: function actionsProof({ path }, context) {
    return proveAction(context, path.action_id)
  },
})
