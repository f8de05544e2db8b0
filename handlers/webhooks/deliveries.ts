import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/message.ts'
import { deliveriesFields } from './_fields.ts'
import { listDeliveries } from '../../src/ledger/webhooks/deliveries.ts'

export default endpoint(
  'GET /v1/webhook-deliveries',
  {
    access: 'write',
    summary: 'Deliveries of all webhooks, newest first',
    query: deliveriesFields,
    answers: { 200: 'DeliveryList' },
  },
  async function deliveriesList({ query }, { sql }) {
    return json({ deliveries: await listDeliveries(sql, query) })
  },
)
