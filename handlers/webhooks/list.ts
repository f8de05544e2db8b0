import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { listWebhooks } from '../../src/ledger/webhooks/webhooks.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'

export default endpoint({
  route: 'GET /v1/webhooks',
  access: 'admin',
  scope: 'filtered',
  summary: 'Webhooks, without their secrets',
  answers: { 200: 'WebhookList' },
  handle: async function webhooksList(_input, { sql, caller }) {
    // They tell of all agents, so that none is a caller's that is for some.
    return json({ webhooks: isLimited(caller.scope) ? [] : await listWebhooks(sql) })
  },
})
