import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { checkpointNow } from '../../src/features/proofs/checkpoint.ts'

export default endpoint(
  'GET /v1/audit/checkpoint',
  {
    access: 'read',
    scope: 'ledger',
    concurrency: { most: 1 },
    summary: 'A checkpoint: the audit log as one hash',
    description:
      'Keep it where the operator of the ledger can not write: `svc audit verify` then proves that the log only grew. ' +
      '409 where the log does not hold.',
    answers: { 200: 'AuditCheckpoint', 409: 'ErrorText' },
  },
  async function auditCheckpoint(_input, context) {
    return json(await checkpointNow(context))
  },
)
