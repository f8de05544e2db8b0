import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listDeliveries } from '../../src/features/deliveries/deliveries.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'

export default endpoint({
  route: 'GET /v1/webhook-deliveries',
  access: 'admin',
  scope: 'filtered',
  summary: 'Deliveries of all webhooks, newest first',
  takes: 'DeliveriesList',
  answers: { 200: 'DeliveryList' },
  answer: async function deliveriesList({ query }, { sql, caller }) {
    // They tell of all agents, so that none is a caller's that is for some.
    return { deliveries: isLimited(caller.scope) ? [] : await listDeliveries(sql, query) }
  },
})
