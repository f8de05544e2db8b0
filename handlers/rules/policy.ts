import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { activePolicy } from '../../src/ledger/registry/policies.ts'

export default endpoint({
  route: 'GET /v1/policy',
  access: 'read',
  scope: 'shared',
  summary: 'The policy, or the default',
  answers: { 200: 'Policy' },
  answer: function policyShow(_input, { sql }) {
    return activePolicy(sql)
  },
})
