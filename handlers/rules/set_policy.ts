import { documentBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/message.ts'
import { setPolicy } from '../../src/ledger/registry/policies.ts'

export default endpoint(
  'PUT /v1/policy',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Put a policy in force',
    description: 'One with the same policy_id is overwritten; the history keeps both.',
    body: documentBody('Policy'),
    answers: { 200: 'Policy' },
  },
  async function policySet({ body, actor }, context) {
    return json(await setPolicy(context, body, actor))
  },
)
