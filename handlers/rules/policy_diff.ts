import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { policyDiff } from '../../src/features/history/policy_history.ts'

export default endpoint(
  'GET /v1/policy/diff',
  {
    access: 'read',
    scope: 'shared',
    summary: 'What differs between two policies of the history',
    query: {
      from: optional(id('The one, as ID@SEQ of the history; the one before `to` unless given.')),
      to: optional(id('The other; the policy in force unless given.')),
    },
    answers: { 200: 'PolicyDiff', 400: 'ErrorText' },
  },
  async function policyDiffShow({ query }, { sql }) {
    return json(await policyDiff(sql, query))
  },
)
