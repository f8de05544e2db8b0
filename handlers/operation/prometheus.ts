import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/message.ts'
import { prometheusText } from './_exposition.ts'
import { countersSnapshot } from '../../src/ledger/chain/counters.ts'
import { readiness } from '../../src/ledger/health/ready.ts'
import { usageFamilies } from '../../src/ledger/health/usage.ts'

export default endpoint(
  'GET /metrics',
  {
    access: 'read',
    summary: 'Metrics for a Prometheus scrape',
    description:
      'What the ledger holds and, on a server that runs on, what this process has done since its start.',
    answers: {
      200: { type: 'text/plain; version=0.0.4; charset=utf-8', about: 'Prometheus text exposition.' },
    },
  },
  async function metricsText(_input, context) {
    const { sql, tally } = context
    // First: what is asked below is use of the database too.
    const usage = await usageFamilies(sql)
    const [snapshot, ready] = await Promise.all([countersSnapshot(context), readiness(sql)])
    const text = prometheusText({ snapshot, ready, families: [...usage, ...tally.families()] })
    return plain(text, 'text/plain; version=0.0.4; charset=utf-8')
  },
)
