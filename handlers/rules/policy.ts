import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { activePolicy } from '../../src/ledger/registry/policies.ts'

export default endpoint(
  'GET /v1/policy',
  {
    access: 'read',
    scope: 'shared',
    summary: 'The policy, or the default',
    answers: { 200: 'Policy' },
  },
  async function policyShow(_input, { sql }) {
    return json(await activePolicy(sql))
  },
)
