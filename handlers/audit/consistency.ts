import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { consistencyFrom } from '../../src/features/proofs/checkpoint.ts'

export default endpoint({
  route: 'GET /v1/audit/consistency',
  access: 'read',
  scope: 'ledger',
  concurrency: { most: 1 },
  summary: 'The proof that the audit log only grew',
  description: 'A few hashes that lead from the size of your checkpoint to the log of now.',
  takes: 'AuditConsistency',
  answers: { 200: 'Consistency', 400: 'ErrorText', 409: 'ErrorText' },
  answer: function auditConsistency({ query }, context) {
    return consistencyFrom(context, query.from)
  },
})
