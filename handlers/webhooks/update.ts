import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { address, flag, id, list, optional, optionalFlag, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { WEBHOOK_EVENTS } from '../../src/models/names.ts'
import { updateWebhook } from '../../src/features/deliveries/changes.ts'

export default endpoint(
  'PATCH /v1/webhooks/{webhook_id}',
  {
    access: 'admin',
    scope: { kind: 'webhook', field: 'webhook_id' },
    summary: 'Change a webhook: its URL, its events, its description, whether it is enabled',
    description:
      'What is left out stays as it is. Deliveries that wait in the outbox go to a new URL. While a webhook is disabled they ' +
      'wait on, and new events are not sent.',
    path: { webhook_id: id('Webhook to change.') },
    body: fieldsBody({
      url: optional(address('Where to send to, http or https.')),
      events: optional(list('Events to send it, instead of those that it gets now.', WEBHOOK_EVENTS)),
      description: optional(prose('What it is for; empty for nothing.')),
      enabled: optionalFlag('Whether it gets any events.'),
      end_rotation: flag('Whether the secret before stops to sign now.'),
    }),
    recordsActor: true,
    answers: { 200: 'Webhook', 400: 'ErrorText', 404: 'ErrorText' },
  },
  async function webhooksUpdate({ path, body, actor }, context) {
    return json(await updateWebhook(context, path.webhook_id, body, actor))
  },
)
