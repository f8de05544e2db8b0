import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { suiteHistory } from '../../src/features/scores/history.ts'

export default endpoint({
  route: 'GET /v1/scores/suites/{suite}',
  access: 'read',
  scope: { kind: 'agent', where: 'query', field: 'agent_id', environment: null },
  concurrency: { most: 2 },
  summary: 'A suite over the releases of an agent',
  description:
    'Each score with its interval by release, and the cases that did not always pass in the last ten of them.',
  takes: 'SuiteHistoryShow',
  answers: { 200: 'SuiteHistory', 404: 'ErrorText' },
  answer: function suiteHistoryShow({ path, query }, context) {
    return suiteHistory(context, { agent_id: query.agent_id, suite: path.suite })
  },
})
