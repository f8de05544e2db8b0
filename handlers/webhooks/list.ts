import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/message.ts'
import { listWebhooks } from '../../src/ledger/webhooks/webhooks.ts'

export default endpoint(
  'GET /v1/webhooks',
  { access: 'write', summary: 'Webhooks, without their secrets', answers: { 200: 'WebhookList' } },
  async function webhooksList(_input, { sql }) {
    return json({ webhooks: await listWebhooks(sql) })
  },
)
