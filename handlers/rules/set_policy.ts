import { documentBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { optional, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/message.ts'
import { setPolicy } from '../../src/ledger/registry/policies.ts'

export default endpoint(
  'PUT /v1/policy',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Put a policy in force',
    description: 'One with the same policy_id is overwritten; the history keeps both.',
    query: { reason: optional(prose('Why; kept in the history of policies.')) },
    body: documentBody('Policy'),
    answers: { 200: 'Policy' },
  },
  async function policySet({ body, query, actor }, context) {
    return json(await setPolicy(context, body, { actor, reason: query.reason ?? null }))
  },
)
