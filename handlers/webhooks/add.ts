import { fieldsBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { address, choice, list, optional, prose } from '../../src/http/endpoint/fields.ts'
import { json } from '../../src/http/wire/message.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../src/models/names.ts'
import { addWebhook } from '../../src/ledger/webhooks/webhooks.ts'

export default endpoint(
  'POST /v1/webhooks',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Add a webhook; its secret is shown only this once',
    description:
      'Each event is posted to the URL as JSON, signed with the secret, up to three times. docs/webhooks.md says how ' +
      'to verify it.',
    body: fieldsBody({
      url: address('Where to send to, http or https.', { example: 'https://hooks.example.com/releases' }),
      events: list('What to tell of.', WEBHOOK_EVENTS, { example: ['promote.succeeded'] }),
      description: optional(prose('What it is for.')),
      format: optional(
        choice(
          'What to send: the payload (json), or a message for an incoming webhook of a chat.',
          WEBHOOK_FORMATS,
        ),
      ),
    }),
    recordsActor: true,
    answers: { 200: 'CreatedWebhook' },
  },
  async function webhooksAdd({ body, actor }, context) {
    return json(await addWebhook(context, body, actor))
  },
)
