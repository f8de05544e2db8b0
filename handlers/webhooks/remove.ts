import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { removeWebhook } from '../../src/ledger/webhooks/webhooks.ts'

export default endpoint({
  route: 'DELETE /v1/webhooks/{webhook_id}',
  access: 'admin',
  scope: { kind: 'webhook', field: 'webhook_id' },
  summary: 'Remove a webhook and its deliveries',
  takes: 'WebhooksRemove',
  recordsActor: true,
  answers: { 200: 'DeletedWebhook', 404: 'ErrorText' },
  answer: async function webhooksRemove({ path, actor }, context) {
    await removeWebhook(context, path.webhook_id, actor)
    return { webhook_id: path.webhook_id, deleted: true }
  },
})
