import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listPricing } from '../../src/ledger/registry/pricing.ts'

export default endpoint(
  'GET /v1/pricing',
  {
    access: 'read',
    scope: 'shared',
    summary: 'Imported price tables',
    answers: { 200: 'PricingList' },
  },
  async function pricingList(_input, context) {
    return json({ pricing: await listPricing(context) })
  },
)
