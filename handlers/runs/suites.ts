import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listSuites } from '../../src/features/scores/history.ts'

export default endpoint(
  'GET /v1/scores/suites',
  {
    access: 'read',
    scope: { kind: 'agent', where: 'query', field: 'agent_id', environment: null },
    summary: 'The suites that releases of an agent were evaluated with',
    query: { agent_id: id('The agent.') },
    answers: { 200: 'SuiteList' },
  },
  async function suitesList({ query }, context) {
    return json(await listSuites(context, query.agent_id))
  },
)
