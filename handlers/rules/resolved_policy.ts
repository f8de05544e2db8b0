import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { resolvedPolicy } from '../../src/features/conditions/resolved_policy.ts'

export default endpoint(
  'GET /v1/policy/resolved',
  {
    access: 'read',
    scope: 'shared',
    summary: 'What holds for an agent in an environment',
    description:
      'The policy in force with its overrides resolved, and which of them set what; where a release must have been ' +
      'live before; and when nothing is promoted.',
    query: {
      agent_id: optional(id('The agent; without it, what overrides for all agents say.')),
      environment: optional(id('The default environment of the workspace unless given.')),
    },
    answers: { 200: 'ResolvedPolicy', 400: 'ErrorText' },
  },
  async function policyResolved({ query }, context) {
    return json(await resolvedPolicy(context, query))
  },
)
