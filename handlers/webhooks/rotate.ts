import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { id, integer } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { rotateSecret } from '../../src/features/deliveries/changes.ts'

/** A day and thirty days, seconds. */
const DAY_S = 86_400
const LONGEST_S = 30 * DAY_S

export default endpoint(
  'POST /v1/webhooks/{webhook_id}/rotate',
  {
    access: 'admin',
    scope: { kind: 'webhook', field: 'webhook_id' },
    summary: 'Give a webhook a new secret, which is shown only this once',
    description:
      'The secret before signs too until `previous_secret_until`: give the receiver the new one by then. With ' +
      '`overlap_s` 0 only the new one signs from now on.',
    path: { webhook_id: id('Webhook whose secret to replace.') },
    body: fieldsBody({
      overlap_s: integer('How long the secret before signs too, seconds.', {
        default: DAY_S,
        min: 0,
        max: LONGEST_S,
      }),
    }),
    recordsActor: true,
    answers: { 200: 'CreatedWebhook', 404: 'ErrorText', 409: 'ErrorText' },
  },
  async function webhooksRotate({ path, body, actor }, context) {
    return json(await rotateSecret(context, path.webhook_id, body.overlap_s, actor))
  },
)
