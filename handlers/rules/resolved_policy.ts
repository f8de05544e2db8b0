import { endpoint } from '../../src/http/endpoint/endpoint.ts'
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
    takes: 'PolicyResolved',
    answers: { 200: 'ResolvedPolicy', 400: 'ErrorText' },
  },
  async function policyResolved({ query }, context) {
    return json(await resolvedPolicy(context, query))
  },
)
