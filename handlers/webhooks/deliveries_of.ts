import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { deliveriesFields } from './_fields.ts'
import { listDeliveries } from '../../src/features/deliveries/deliveries.ts'

export default endpoint(
  'GET /v1/webhooks/{webhook_id}/deliveries',
  {
    access: 'admin',
    scope: { kind: 'webhook', field: 'webhook_id' },
    summary: 'Deliveries of a webhook, newest first',
    path: { webhook_id: id('Webhook whose deliveries to list.') },
    query: deliveriesFields,
    answers: { 200: 'DeliveryList', 404: 'ErrorText' },
  },
  async function webhooksDeliveries({ path, query }, { sql }) {
    return json({ deliveries: await listDeliveries(sql, { ...query, ...path }) })
  },
)
