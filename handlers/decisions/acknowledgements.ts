import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listAcknowledgements } from '../../src/features/capabilities/acknowledge.ts'

export default endpoint({
  route: 'GET /v1/acknowledgements',
  access: 'read',
  scope: 'filtered',
  summary: 'Acknowledgements of new capabilities, newest first',
  takes: 'AcknowledgementsList',
  answers: { 200: 'AcknowledgementList' },
  answer: async function acknowledgementsList({ query }, { sql, caller }) {
    return { acknowledgements: await listAcknowledgements(sql, { ...query, scope: caller.scope }) }
  },
})
