import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { policyAdvice } from '../../src/features/advice/advice.ts'

const WEEKS = '14d'

export default endpoint({
  route: 'GET /v1/policy/advice',
  access: 'read',
  scope: { kind: 'agent', where: 'query', field: 'agent_id' },
  summary: 'Which limits on a change the traffic of an agent can prove',
  description: 'Reads the runs of the live release, and says how many runs each limit needs.',
  takes: 'AdvisePolicy',
  answers: { 200: 'PolicyAdvice', 400: 'ErrorText' },
  answer: function advisePolicy({ query }, context) {
    return policyAdvice(context, { ...query, window: query.window ?? WEEKS })
  },
})
