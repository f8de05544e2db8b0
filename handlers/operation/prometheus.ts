import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/message.ts'
import { openMetricsText, prometheusText } from './_exposition.ts'
import { countersSnapshot } from '../../src/ledger/chain/counters.ts'

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export default endpoint(
  'GET /metrics',
  {
    access: 'read',
    summary: 'Counters for a Prometheus scrape',
    description:
      'OpenMetrics 1.0 for who names it in Accept, as Prometheus does; the Prometheus text format otherwise.',
    answers: { 200: { type: PROMETHEUS, or: OPEN_METRICS, about: 'Prometheus text exposition.' } },
  },
  async function metricsText({ accept }, context) {
    const snapshot = await countersSnapshot(context)
    return ACCEPTS_OPEN_METRICS.test(accept)
      ? plain(openMetricsText(snapshot), OPEN_METRICS)
      : plain(prometheusText(snapshot), PROMETHEUS)
  },
)

/** Named, and not with a weight of 0 (RFC 9110, 12.5.1). */
const ACCEPTS_OPEN_METRICS = /application\/openmetrics-text(?![^,]*;\s*q=0(?:\.0*)?\s*(?:[,;]|$))/i
