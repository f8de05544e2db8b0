import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { priceHistory } from '../../src/features/history/history.ts'

export default endpoint(
  'GET /v1/pricing/history',
  {
    access: 'read',
    scope: 'shared',
    summary: 'Every import of price tables: who, when, why, and what it changed',
    takes: 'PricingHistory',
    answers: { 200: 'PriceHistory' },
  },
  async function pricingHistory({ query }, { sql }) {
    return json(await priceHistory(sql, query))
  },
)
