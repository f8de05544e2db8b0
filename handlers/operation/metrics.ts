import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { countersSnapshot } from '../../src/ledger/trail/counters.ts'

export default endpoint(
  'GET /v1/metrics',
  { access: 'read', scope: 'ledger', summary: 'Counters as JSON', answers: { 200: 'CountersSnapshot' } },
  async function metrics(_input, context) {
    return json(await countersSnapshot(context))
  },
)
