import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { showPricing } from '../../src/ledger/registry/pricing.ts'

export default endpoint(
  'GET /v1/pricing/{provider}/{pricing_version}',
  {
    access: 'read',
    scope: 'shared',
    summary: 'One price table',
    takes: 'PricingShow',
    answers: { 200: 'PricingTable', 404: 'ErrorText' },
  },
  async function pricingShow({ path }, { sql }) {
    return json(await showPricing(sql, path.provider, path.pricing_version))
  },
)
