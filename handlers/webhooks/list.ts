import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { listWebhooks } from '../../src/ledger/webhooks/webhooks.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'

export default endpoint({
  route: 'GET /v1/webhooks',
  access: 'admin',
  scope: 'filtered',
  summary: 'Webhooks, without their secrets',
  answers: { 200: 'WebhookList' },
  answer: async function webhooksList(_input, { sql, caller }) {
    // They tell of all agents, so that none is a caller's that is for some.
    return { webhooks: isLimited(caller.scope) ? [] : await listWebhooks(sql) }
  },
})
