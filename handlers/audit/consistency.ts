import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { consistencyFrom } from '../../src/features/proofs/checkpoint.ts'

export default endpoint(
  'GET /v1/audit/consistency',
  {
    access: 'read',
    scope: 'ledger',
    concurrency: { most: 1 },
    summary: 'The proof that the audit log only grew',
    description: 'From the size of a checkpoint that you kept to what the log is now, by a few hashes.',
    takes: 'AuditConsistency',
    answers: { 200: 'Consistency', 400: 'ErrorText', 409: 'ErrorText' },
  },
  async function auditConsistency({ query }, context) {
    return json(await consistencyFrom(context, query.from))
  },
)
