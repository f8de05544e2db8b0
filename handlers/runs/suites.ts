import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listSuites } from '../../src/features/scores/history.ts'

export default endpoint({
  route: 'GET /v1/scores/suites',
  access: 'read',
  scope: { kind: 'agent', where: 'query', field: 'agent_id', environment: null },
  summary: 'The suites that releases of an agent were evaluated with',
  takes: 'SuitesList',
  answers: { 200: 'SuiteList' },
  answer: function suitesList({ query }, context) {
    return listSuites(context, query.agent_id)
  },
})
