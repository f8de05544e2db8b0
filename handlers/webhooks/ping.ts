import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { testWebhook } from '../../src/ledger/webhooks/webhooks.ts'

export default endpoint({
  route: 'POST /v1/webhooks/{webhook_id}/test',
  access: 'admin',
  scope: { kind: 'webhook', field: 'webhook_id' },
  summary: 'Send a test.ping to a webhook and wait for the answer',
  description:
    'One attempt, signed like every delivery. Always 200: `status` has the answer of the receiver.',
  takes: 'WebhooksTest',
  recordsActor: true,
  answers: { 200: 'TestedWebhook', 404: 'ErrorText' },
  answer: function webhooksTest({ path, actor }, context) {
    return testWebhook(context, path.webhook_id, actor)
  },
})
