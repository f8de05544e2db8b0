import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listPromoted } from '../../src/ledger/decide/trail.ts'

export default endpoint({
  route: 'GET /v1/promoted',
  access: 'read',
  scope: 'filtered',
  summary: 'What is promoted, per agent and environment',
  answers: { 200: 'Promoted' },
  answer: async function promoted(_input, { sql, caller }) {
    return { promoted: await listPromoted(sql, caller.scope) }
  },
})
