import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rotateSecret } from '../../src/features/deliveries/changes.ts'

export default endpoint({
  route: 'POST /v1/webhooks/{webhook_id}/rotate',
  access: 'admin',
  scope: { kind: 'webhook', field: 'webhook_id' },
  summary: 'Give a webhook a new secret, which is shown only this once',
  description:
    'The old secret also signs until `previous_secret_until`: give the receiver the new one by then. With `overlap_s` 0 only the new one signs from now on.',
  takes: 'WebhooksRotate',
  recordsActor: true,
  answers: { 200: 'CreatedWebhook', 404: 'ErrorText', 409: 'ErrorText' },
  answer: function webhooksRotate({ path, body, actor }, context) {
    return rotateSecret(context, path.webhook_id, body.overlap_s, actor)
  },
})
