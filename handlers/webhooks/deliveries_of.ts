import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listDeliveries } from '../../src/features/deliveries/deliveries.ts'

export default endpoint({
  route: 'GET /v1/webhooks/{webhook_id}/deliveries',
  access: 'admin',
  scope: { kind: 'webhook', field: 'webhook_id' },
  summary: 'Deliveries of a webhook, newest first',
  takes: 'WebhooksDeliveries',
  answers: { 200: 'DeliveryList', 404: 'ErrorText' },
  answer: async function webhooksDeliveries({ path, query }, { sql }) {
    return { deliveries: await listDeliveries(sql, { ...query, ...path }) }
  },
})
