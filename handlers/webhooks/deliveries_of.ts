import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listDeliveries } from '../../src/features/deliveries/deliveries.ts'

export default endpoint(
  'GET /v1/webhooks/{webhook_id}/deliveries',
  {
    access: 'admin',
    scope: { kind: 'webhook', field: 'webhook_id' },
    summary: 'Deliveries of a webhook, newest first',
    takes: 'WebhooksDeliveries',
    answers: { 200: 'DeliveryList', 404: 'ErrorText' },
  },
  async function webhooksDeliveries({ path, query }, { sql }) {
    return json({ deliveries: await listDeliveries(sql, { ...query, ...path }) })
  },
)
