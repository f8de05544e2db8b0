import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/message.ts'
import { prometheusText } from './_exposition.ts'
import { countersSnapshot } from '../../src/ledger/chain/counters.ts'

export default endpoint(
  'GET /metrics',
  {
    access: 'read',
    summary: 'Counters for a Prometheus scrape',
    answers: {
      200: { type: 'text/plain; version=0.0.4; charset=utf-8', about: 'Prometheus text exposition.' },
    },
  },
  async function metricsText(_input, context) {
    return plain(prometheusText(await countersSnapshot(context)), 'text/plain; version=0.0.4; charset=utf-8')
  },
)
