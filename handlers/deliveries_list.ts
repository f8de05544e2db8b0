import { endpoint } from '../src/http/endpoint.ts'
import { json } from '../src/http/message.ts'
import { deliveriesFields } from '../src/http/webhook_fields.ts'
import { listDeliveries } from '../src/ledger/deliveries.ts'

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
