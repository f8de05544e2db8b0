import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listPricing } from '../../src/ledger/registry/pricing.ts'

export default endpoint({
  route: 'GET /v1/pricing',
  access: 'read',
  scope: 'shared',
  summary: 'Imported price tables',
  answers: { 200: 'PricingList' },
  answer: async function pricingList(_input, context) {
    return { pricing: await listPricing(context) }
  },
})
