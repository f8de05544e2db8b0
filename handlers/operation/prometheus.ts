import { isoTime } from '../../src/base/time.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/wire/message.ts'
import { readiness, readableSnapshot } from '../../src/ledger/health/ready.ts'
import {
  featureFamilies,
  readerFamilies,
  unusableFamilies,
  usageFamilies,
} from '../../src/ledger/health/metrics.ts'
import { type Family, type Labels, gauge, gauges } from '../../src/ledger/world/tally.ts'
import type { CountersSnapshot } from '../../src/models/answers/health.ts'

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export default endpoint({
  route: 'GET /metrics',
  access: 'read',
  scope: 'ledger',
  summary: 'Metrics for a Prometheus scrape',
  description:
    "The ledger's counters and, on a server, those of this process since its start. OpenMetrics 1.0 if Accept names it, as Prometheus does; the Prometheus text format otherwise. If the ledger can't be read, its counters are left out.",
  answers: { 200: { type: PROMETHEUS, or: OPEN_METRICS, about: 'Prometheus text exposition.' } },
  handle: async function metricsText({ accept }, context) {
    const { sql, tally } = context
    // First, because the reads below use the database too.
    const usage = await usageFamilies(sql)
    const [snapshot, ready] = await Promise.all([readableSnapshot(context), readiness(sql)])
    const generated_at = snapshot?.generated_at ?? isoTime(context.now())
    const ofLedger =
      snapshot === undefined
        ? []
        : [
            ...(await unusableFamilies(context)),
            ...(await featureFamilies(context)),
            ...(await readerFamilies(context)),
          ]
    const bodies = gauge(
      'service_bodies_waiting',
      'Requests whose large body waits for room.',
      context.memo.bodies.waiting,
    )
    const ofServer = [bodies, ...(context.measures?.() ?? [])]
    const families = [...ofLedger, ...usage, ...ofServer, ...tally.families()]
    const scrape = { generated_at, snapshot, ready, families }
    return ACCEPTS_OPEN_METRICS.test(accept)
      ? plain(openMetricsText(scrape), OPEN_METRICS)
      : plain(prometheusText(scrape), PROMETHEUS)
  },
})

/** Named, and not with a weight of 0 (RFC 9110, 12.5.1). */
const ACCEPTS_OPEN_METRICS = /application\/openmetrics-text(?![^,]*;\s*q=0(?:\.0*)?\s*(?:[,;]|$))/i

interface Scrape {
  readonly generated_at: string
  /** Undefined where the ledger can't be read. */
  readonly snapshot: CountersSnapshot | undefined
  /** Whether /ready answers 200. */
  readonly ready: 0 | 1
  /** What this process tells of itself. */
  readonly families: readonly Family[]
}

/** Prometheus text exposition, format 0.0.4, with the comment that the specification wants (GET /metrics). */
function prometheusText(scrape: Scrape): string {
  return `# generated_at ${scrape.generated_at}\n${familiesText(scrape, family => family.name)}`
}

/** OpenMetrics 1.0, which has no comments, and names a counter without the ending of its samples. */
function openMetricsText(scrape: Scrape): string {
  const nameOf = ({ name, type }: Family): string => (type === 'counter' ? name.replace(/_total$/, '') : name)
  return `${familiesText(scrape, nameOf)}# EOF\n`
}

function familiesText({ snapshot, ready, families }: Scrape, nameOf: (family: Family) => string): string {
  const ofLedger = snapshot === undefined ? [] : ledgerGauges(snapshot)
  const lines = [...ofLedger, readyGauge(ready), ...families].flatMap(family => [
    `# HELP ${nameOf(family)} ${family.help}`,
    `# TYPE ${nameOf(family)} ${family.type}`,
    ...family.samples.map(
      ({ suffix, labels, value }) => `${family.name}${suffix}${labelText(labels)} ${value}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

/** What is read from the ledger are gauges, also where a name ends in `_total`: the specification names them so. */
function ledgerGauges({ counters, schema_version }: CountersSnapshot): Family[] {
  return [
    gauge('service_releases_total', 'Registered releases.', counters.releases_total),
    gauge('service_run_events_total', 'Stored run events.', counters.run_events_total),
    gauge('service_promoted_pointers_total', 'Promoted pointers.', counters.promoted_pointers_total),
    gauge('service_actions_total', 'Actions in the audit trail.', counters.actions_total),
    gauges(
      'service_actions_by_type',
      'Actions in the audit trail by action.',
      Object.entries(counters.actions_by_action).map(([action, value]) => [{ action }, value]),
    ),
    gauge('service_pricing_tables_total', 'Imported price tables.', counters.pricing_tables_total),
    gauge(
      'service_webhook_deliveries_pending',
      'Webhook deliveries that wait in the outbox.',
      counters.webhook_deliveries_pending,
    ),
    gauge(
      'service_webhook_deliveries_failed',
      'Webhook deliveries that were given up.',
      counters.webhook_deliveries_failed,
    ),
    gauge('service_schema_version', 'Highest applied schema migration.', schema_version),
  ]
}

function readyGauge(ready: 0 | 1): Family {
  return gauge(
    'service_ledger_ready',
    'Whether the ledger can be read and written, as /ready says: 1 or 0.',
    ready,
  )
}

/** All values are ours: words and paths, which need no escaping. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
