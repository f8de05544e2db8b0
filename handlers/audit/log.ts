import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, flag, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { pageFields } from '../../src/http/endpoint/pages.ts'
import { listLog, withFacts } from '../../src/ledger/trail/read_log.ts'
import { LOG_KINDS } from '../../src/models/names.ts'

export default endpoint(
  'GET /v1/audit',
  {
    access: 'read',
    scope: 'ledger',
    summary: 'The audit log, newest first',
    description:
      'Decisions, policies, price tables and all else that governs, each with who, when and why, in one chain of hashes.',
    query: {
      kind: optional(choice('Only entries of this kind.', LOG_KINDS)),
      facts: flag('Also the text that `fact` of each entry is the SHA-256 of.'),
      ...pageFields('log_seq'),
    },
    answers: { 200: 'AuditPage' },
  },
  async function auditLog({ query }, { sql }) {
    const page = await listLog(sql, query)
    return json(query.facts ? await withFacts(sql, page) : page)
  },
)
