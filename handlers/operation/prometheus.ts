import { isoTime } from '../../src/base/time.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/wire/message.ts'
import { openMetricsText, prometheusText } from './_exposition.ts'
import { readiness, readableSnapshot } from '../../src/ledger/health/ready.ts'
import { usageFamilies, undecidableFamilies } from '../../src/ledger/health/metrics.ts'

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export default endpoint(
  'GET /metrics',
  {
    access: 'read',
    scope: 'ledger',
    summary: 'Metrics for a Prometheus scrape',
    description:
      'What the ledger holds and, on a server that runs on, what this process has done since its start. OpenMetrics 1.0 ' +
      'for who names it in Accept, as Prometheus does; the Prometheus text format otherwise. Where the ledger can not be ' +
      'read, what it holds is left out.',
    answers: { 200: { type: PROMETHEUS, or: OPEN_METRICS, about: 'Prometheus text exposition.' } },
  },
  async function metricsText({ accept }, context) {
    const { sql, tally } = context
    // First: what is asked below is use of the database too.
    const usage = await usageFamilies(sql)
    const [snapshot, ready] = await Promise.all([readableSnapshot(context), readiness(sql)])
    const generated_at = snapshot?.generated_at ?? isoTime(context.now())
    const undecidable = snapshot === undefined ? [] : await undecidableFamilies(context)
    const families = [...undecidable, ...usage, ...tally.families()]
    const scrape = { generated_at, snapshot, ready, families }
    return ACCEPTS_OPEN_METRICS.test(accept)
      ? plain(openMetricsText(scrape), OPEN_METRICS)
      : plain(prometheusText(scrape), PROMETHEUS)
  },
)

/** Named, and not with a weight of 0 (RFC 9110, 12.5.1). */
const ACCEPTS_OPEN_METRICS = /application\/openmetrics-text(?![^,]*;\s*q=0(?:\.0*)?\s*(?:[,;]|$))/i
