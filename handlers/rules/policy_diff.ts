import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { policyDiff } from '../../src/features/history/history.ts'

export default endpoint(
  'GET /v1/policy/diff',
  {
    access: 'read',
    scope: 'shared',
    summary: 'What differs between two policies of the history',
    takes: 'PolicyDiffShow',
    answers: { 200: 'PolicyDiff', 400: 'ErrorText' },
  },
  async function policyDiffShow({ query }, { sql }) {
    return json(await policyDiff(sql, query))
  },
)
