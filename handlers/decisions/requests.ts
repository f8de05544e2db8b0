import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { choice, integer, optional } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'

export default endpoint(
  'GET /v1/promotion-requests',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Promotion requests, newest first',
    query: {
      status: optional(choice('Only requests in this state.', ['pending', 'completed', 'cancelled'])),
      limit: integer('Most requests to return.', { default: 50, min: 1, max: 500 }),
    },
    answers: { 200: 'PromotionRequestList' },
  },
  async function promotionRequests({ query }, { sql, caller }) {
    return json({ requests: await listRequests(sql, { ...query, scope: caller.scope }) })
  },
)
