import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { integer } from '../../src/http/endpoint/fields.ts'
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
    query: {
      from: integer('Size of the checkpoint.', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    },
    answers: { 200: 'Consistency', 400: 'ErrorText', 409: 'ErrorText' },
  },
  async function auditConsistency({ query }, context) {
    return json(await consistencyFrom(context, query.from))
  },
)
