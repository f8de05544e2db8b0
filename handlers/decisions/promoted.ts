import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listPromoted } from '../../src/ledger/decide/trail.ts'

export default endpoint(
  'GET /v1/promoted',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'What is promoted, per agent and environment',
    answers: { 200: 'Promoted' },
  },
  async function promoted(_input, { sql, caller }) {
    return json({ promoted: await listPromoted(sql, caller.scope) })
  },
)
