import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { PROMOTION } from '../../src/ledger/decide/promotion_requests.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'

export default endpoint(
  'GET /v1/promotion-requests',
  {
    access: 'read',
    scope: 'filtered',
    summary: 'Promotion requests, newest first',
    takes: 'PromotionRequests',
    answers: { 200: 'PromotionRequestList' },
  },
  async function promotionRequests({ query }, { sql, caller }) {
    return json({ requests: await listRequests(sql, PROMOTION, { ...query, scope: caller.scope }) })
  },
)
