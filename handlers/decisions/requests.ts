import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { PROMOTION } from '../../src/ledger/decide/promotion_requests.ts'
import { listRequests } from '../../src/ledger/decide/requests.ts'
import { ask } from '../../src/sql/query.ts'

export default endpoint({
  route: 'GET /v1/promotion-requests',
  access: 'read',
  scope: 'filtered',
  summary: 'Promotion requests, newest first',
  takes: 'PromotionRequests',
  answers: { 200: 'PromotionRequestList' },
  answer: async function promotionRequests({ query }, { sql, caller }) {
    return { requests: await ask(sql, listRequests(sql, PROMOTION, { ...query, scope: caller.scope })) }
  },
})
