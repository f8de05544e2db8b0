import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listLog, withFacts } from '../../src/ledger/trail/read_log.ts'

export default endpoint({
  route: 'GET /v1/audit',
  access: 'read',
  scope: 'ledger',
  summary: 'The audit log, newest first',
  description:
    'Decisions, policies, price tables and all other governed changes, each with who, when and why, in one hash chain.',
  takes: 'AuditLog',
  answers: { 200: 'AuditPage', 409: 'ErrorText' },
  answer: async function auditLog({ query }, { sql }) {
    const page = await listLog(sql, query)
    return query.facts ? await withFacts(sql, page) : page
  },
})
