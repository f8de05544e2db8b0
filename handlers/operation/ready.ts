import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/message.ts'
import { pingLedger } from '../../src/ledger/chain/counters.ts'

export default endpoint(
  'GET /ready',
  {
    access: 'open',
    summary: 'Readiness',
    description: '200 when the ledger answers, 503 when it does not.',
    answers: { 200: 'Ready' },
  },
  async function ready(_input, context) {
    await pingLedger(context)
    return json({ status: 'ready' })
  },
)
