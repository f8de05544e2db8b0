import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { policyHistory } from '../../src/features/history/history.ts'

export default endpoint(
  'GET /v1/policy/history',
  {
    access: 'read',
    scope: 'shared',
    summary: 'Every policy that was set: who, when, why, and what it changed',
    takes: 'PolicyHistoryList',
    answers: { 200: 'PolicyHistory' },
  },
  async function policyHistoryList({ query }, { sql }) {
    return json(await policyHistory(sql, query))
  },
)
