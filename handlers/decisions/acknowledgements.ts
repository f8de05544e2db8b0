import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listAcknowledgements } from '../../src/features/surface/acknowledge.ts'

export default endpoint(
  'GET /v1/acknowledgements',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Acknowledgements of what releases may do, newest first',
    query: {
      agent: optional(id('Only this agent_id.')),
      env: optional(id('Only this environment.')),
      limit: integer('Most acknowledgements to return.', { default: 50, min: 1, max: 500 }),
    },
    answers: { 200: 'AcknowledgementList' },
  },
  async function acknowledgementsList({ query }, { sql, caller }) {
    return json({ acknowledgements: await listAcknowledgements(sql, { ...query, scope: caller.scope }) })
  },
)
