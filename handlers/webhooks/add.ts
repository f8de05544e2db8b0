import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { addWebhook } from '../../src/ledger/webhooks/webhooks.ts'

export default endpoint({
  route: 'POST /v1/webhooks',
  access: 'admin',
  scope: 'ledger',
  summary: 'Add a webhook; its secret is shown only this once',
  description:
    'Each event is posted to the URL as JSON, signed with the secret, up to three times. docs/webhooks.md says how ' +
    'to verify it.',
  takes: 'WebhooksAdd',
  recordsActor: true,
  answers: { 200: 'CreatedWebhook' },
  answer: function webhooksAdd({ body, actor }, context) {
    return addWebhook(context, body, actor)
  },
})
