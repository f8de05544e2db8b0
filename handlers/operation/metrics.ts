import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { countersSnapshot } from '../../src/ledger/trail/counters.ts'

export default endpoint({
  route: 'GET /v1/metrics',
  access: 'read',
  scope: 'ledger',
  summary: 'Counters as JSON',
  answers: { 200: 'CountersSnapshot' },
  answer: function metrics(_input, context) {
    return countersSnapshot(context)
  },
})
