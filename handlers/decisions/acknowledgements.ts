import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listAcknowledgements } from '../../src/features/capabilities/acknowledge.ts'

export default endpoint(
  'GET /v1/acknowledgements',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Acknowledgements of new capabilities, newest first',
    takes: 'AcknowledgementsList',
    answers: { 200: 'AcknowledgementList' },
  },
  async function acknowledgementsList({ query }, { sql, caller }) {
    return json({ acknowledgements: await listAcknowledgements(sql, { ...query, scope: caller.scope }) })
  },
)
