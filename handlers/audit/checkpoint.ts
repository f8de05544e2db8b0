import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { checkpointNow } from '../../src/features/proofs/checkpoint.ts'

export default endpoint({
  route: 'GET /v1/audit/checkpoint',
  access: 'read',
  scope: 'ledger',
  concurrency: { most: 1 },
  summary: 'A checkpoint: the audit log as one hash',
  description:
    "Keep it where the operator of the ledger can't write: `svc audit verify` then proves that the log only grew. 409 if the log fails its checks.",
  answers: { 200: 'AuditCheckpoint', 409: 'ErrorText' },
  answer: function auditCheckpoint(_input, context) {
    return checkpointNow(context)
  },
})
