import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { showPricing } from '../../src/ledger/registry/pricing.ts'

export default endpoint({
  route: 'GET /v1/pricing/{provider}/{pricing_version}',
  access: 'read',
  scope: 'shared',
  summary: 'One price table',
  takes: 'PricingShow',
  answers: { 200: 'PricingTable', 404: 'ErrorText' },
  answer: function pricingShow({ path }, { sql }) {
    return showPricing(sql, path.provider, path.pricing_version)
  },
})
