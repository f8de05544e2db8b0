import type { CountersSnapshot } from '../../src/models/answers/health.ts'

/** Prometheus text exposition, format 0.0.4, with the comment that the specification wants (GET /metrics). */
export function prometheusText(snapshot: CountersSnapshot): string {
  return `# generated_at ${snapshot.generated_at}\n${familiesText(snapshot)}`
}

/** OpenMetrics 1.0, which has no comments. */
export function openMetricsText(snapshot: CountersSnapshot): string {
  return `${familiesText(snapshot)}# EOF\n`
}

/** All are gauges, also those whose names end in `_total`: the specification names them so. */
function familiesText({ counters, schema_version }: CountersSnapshot): string {
  const gauges: readonly [name: string, help: string, samples: Readonly<Record<string, number>>][] = [
    ['service_releases_total', 'Registered releases.', { '': counters.releases_total }],
    ['service_run_events_total', 'Stored run events.', { '': counters.run_events_total }],
    ['service_promoted_pointers_total', 'Promoted pointers.', { '': counters.promoted_pointers_total }],
    ['service_actions_total', 'Actions in the audit trail.', { '': counters.actions_total }],
    [
      'service_actions_by_type',
      'Actions in the audit trail by action.',
      labelled(counters.actions_by_action),
    ],
    ['service_pricing_tables_total', 'Imported price tables.', { '': counters.pricing_tables_total }],
    [
      'service_webhook_deliveries_pending',
      'Webhook deliveries that wait in the outbox.',
      { '': counters.webhook_deliveries_pending },
    ],
    [
      'service_webhook_deliveries_failed',
      'Webhook deliveries that were given up.',
      { '': counters.webhook_deliveries_failed },
    ],
    ['service_schema_version', 'Highest applied schema migration.', { '': schema_version }],
  ]
  const lines = gauges.flatMap(([name, help, samples]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...Object.entries(samples).map(([labels, value]) => `${name}${labels} ${value}`),
  ])
  return `${lines.join('\n')}\n`
}

/** Actions are `promote` and `rollback`, so the label is bounded and needs no escaping. */
function labelled(byAction: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(byAction).map(([action, value]) => [`{action="${action}"}`, value]),
  )
}
