import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { updateWebhook } from '../../src/features/deliveries/changes.ts'

export default endpoint({
  route: 'PATCH /v1/webhooks/{webhook_id}',
  access: 'admin',
  scope: { kind: 'webhook', field: 'webhook_id' },
  summary: 'Change a webhook: its URL, its events, its description, whether it is enabled',
  description:
    'Fields that are left out stay as they are. Waiting deliveries go to a new URL. While a webhook is disabled, its deliveries wait, and new events are not sent.',
  takes: 'WebhooksUpdate',
  recordsActor: true,
  answers: { 200: 'Webhook', 400: 'ErrorText', 404: 'ErrorText' },
  answer: function webhooksUpdate({ path, body, actor }, context) {
    return updateWebhook(context, path.webhook_id, body, actor)
  },
})
