import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/message.ts'
import { requireReady } from '../../src/ledger/health/ready.ts'

export default endpoint(
  'GET /ready',
  {
    access: 'open',
    scope: 'shared',
    unlimited: true,
    summary: 'Readiness',
    description:
      '200 when the ledger can be read and written, 503 with the reason when it can not. A server that only reads is ' +
      'ready when it can be read.',
    answers: { 200: 'Ready' },
  },
  async function ready(_input, context) {
    await requireReady(context)
    return json({ status: 'ready' })
  },
)
