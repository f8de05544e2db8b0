import { documentBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { warningHeaders } from '../../src/http/endpoint/read_input.ts'
import { json } from '../../src/http/wire/message.ts'
import { unknownInPolicy } from '../../src/ledger/registry/places.ts'
import { setPolicy } from '../../src/ledger/registry/set_policy.ts'
import { looseLimits } from '../../src/rules/limit_words.ts'

export default endpoint({
  route: 'PUT /v1/policy',
  access: 'admin',
  scope: 'ledger',
  summary: 'Set the policy',
  description:
    'A policy with the same policy_id is overwritten; the history keeps both. The header X-Service-Warning names limits that are likely larger than intended, and overrides for unknown agents and environments.',
  takes: 'PolicySet',
  body: documentBody('Policy'),
  recordsActor: true,
  answers: { 200: 'Policy' },
  handle: async function policySet({ body, query, actor }, context) {
    // Read before it is set: what fails then has changed nothing.
    const unknown = await unknownInPolicy(context.sql, body, context.workspace)
    const policy = await setPolicy(context, body, { actor, reason: query.reason ?? null })
    return json(policy, 200, warningHeaders([...looseLimits(policy), ...unknown]))
  },
})
