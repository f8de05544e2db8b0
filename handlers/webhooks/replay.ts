import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { replayDelivery } from '../../src/features/deliveries/deliveries.ts'

export default endpoint({
  route: 'POST /v1/webhook-deliveries/{delivery_id}/replay',
  access: 'admin',
  scope: { kind: 'delivery', field: 'delivery_id' },
  summary: 'Send a delivery again',
  description: 'With the same delivery_id and body, also if it was delivered. Answers before it is sent.',
  takes: 'DeliveriesReplay',
  recordsActor: true,
  answers: { 200: 'Delivery', 404: 'ErrorText' },
  answer: function deliveriesReplay({ path, actor }, context) {
    return replayDelivery(context, path.delivery_id, actor)
  },
})
