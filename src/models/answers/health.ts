import { type } from 'arktype'
import type { ModelDocs } from '../docs.ts'
import { RunEvent, runEventDocs } from '../documents/run_event.ts'
import { Count, Timestamp } from '../scalars.ts'

/** GET /health */
export const Health = type({
  status: "'ok'",
  mutation_auth: "'loopback' | 'bearer'",
  read_auth: "'open' | 'bearer'",
})

export const healthDocs: ModelDocs = {
  title: 'Health',
  description: 'The server is up.',
  fields: {
    status: 'Always ok.',
    mutation_auth: 'Who may change things: callers from this machine, or bearers of the token.',
    read_auth: 'Who may read: anybody, or bearers of a token.',
  },
}

/** GET /ready */
export const Ready = type({ status: "'ready'" })

export const readyDocs: ModelDocs = {
  title: 'Ready',
  description: 'The ledger answers.',
  fields: { status: 'Always ready; otherwise the answer is a 503.' },
}

/** GET /v1/metrics */
export const CountersSnapshot = type({
  counters: {
    releases_total: Count,
    pricing_tables_total: Count,
    run_events_total: Count,
    promoted_pointers_total: Count,
    actions_total: Count,
    actions_by_action: { '[string]': Count },
    webhook_deliveries_pending: Count,
    webhook_deliveries_failed: Count,
  },
  schema_version: Count,
  generated_at: Timestamp,
})
export type CountersSnapshot = typeof CountersSnapshot.infer

export const countersDocs: ModelDocs = {
  title: 'CountersSnapshot',
  description: 'Counters of the ledger.',
  fields: {
    counters: 'The counters.',
    'counters.releases_total': 'Registered releases.',
    'counters.pricing_tables_total': 'Imported price tables.',
    'counters.run_events_total': 'Stored run events.',
    'counters.promoted_pointers_total': 'Promoted pointers.',
    'counters.actions_total': 'Actions in the audit trail.',
    'counters.actions_by_action': 'The same by action.',
    'counters.webhook_deliveries_pending': 'Webhook deliveries that wait in the outbox.',
    'counters.webhook_deliveries_failed': 'Webhook deliveries that were given up and not replayed.',
    schema_version: 'Highest applied migration.',
    generated_at: 'When the counters were read.',
  },
}

/** GET /v1/doctor */
export const DoctorReport = type({
  ok: 'boolean',
  checks: type({ name: 'string', ok: 'boolean', detail: 'string' }).array(),
})
export type DoctorReport = typeof DoctorReport.infer

export const doctorDocs: ModelDocs = {
  title: 'DoctorReport',
  description: 'Read-only checks of the ledger.',
  fields: {
    ok: 'Whether every check passed.',
    checks: 'The checks.',
    'checks[].name': 'Name of the check.',
    'checks[].ok': 'Whether it passed.',
    'checks[].detail': 'What was found.',
  },
}

/** POST /v1/rollups/rebuild */
export const Rebuilt = type({ days: Count })

export const rebuiltDocs: ModelDocs = {
  title: 'Rebuilt',
  description: 'Roll-ups and counters were rebuilt.',
  fields: { days: 'Days of a release in an environment that were rebuilt.' },
}

/** POST /v1/events */
export const IngestResult = type({ inserted: Count, skipped: Count })
export type IngestResult = typeof IngestResult.infer

export const ingestResultDocs: ModelDocs = {
  title: 'IngestResult',
  description: 'What became of the events of a request.',
  fields: {
    inserted: 'Newly written events.',
    skipped: 'Events whose run_id was stored before.',
  },
}

/** GET /v1/runs */
export const RunsPage = type({
  release_id: 'string',
  since: 'string',
  until: Timestamp,
  filters: {
    environment: 'string',
    tenant_id: 'string | null',
    task_id: 'string | null',
    trace_id: 'string | null',
    session_id: 'string | null',
    span_id: 'string | null',
  },
  offset: Count,
  limit: Count,
  matched_total: Count,
  returned: Count,
  truncated: 'boolean',
  events: RunEvent.array(),
})

export const runsPageDocs: ModelDocs = {
  title: 'RunsPage',
  description: "A page of a release's run events, newest first.",
  fields: {
    release_id: 'The release.',
    since: 'Start of the window, inclusive.',
    until: 'End of the window, exclusive.',
    filters: 'The filters; null where unset.',
    'filters.environment': 'Environment; the default one where none was named.',
    'filters.tenant_id': 'Tenant.',
    'filters.task_id': 'Task.',
    'filters.trace_id': 'Trace.',
    'filters.session_id': 'Session.',
    'filters.span_id': 'Span.',
    offset: 'Newest matching events that were skipped.',
    limit: 'Most events on this page.',
    matched_total: 'Matching events in the window.',
    returned: 'Events on this page.',
    truncated: 'Whether more matching events follow this page.',
    events: 'The events, with all defaults applied.',
    ...Object.fromEntries(
      Object.entries(runEventDocs.fields).map(([path, text]) => [`events[].${path}`, text]),
    ),
  },
}

/** Bodies of errors. */
export const ErrorText = type({ detail: 'string' })

export const errorTextDocs: ModelDocs = {
  title: 'ErrorText',
  description: 'What is wrong, in words.',
  fields: { detail: 'The sentence to show.' },
}

export const ValidationError = type({
  detail: type({ loc: '(string | number)[]', msg: 'string', type: 'string' }).array(),
})

export const validationErrorDocs: ModelDocs = {
  title: 'ValidationError',
  description: 'The request has not the shape it needs. Nothing was written.',
  fields: {
    detail: 'One entry per problem.',
    'detail[].loc': 'Where: body, query, path or header, then the way to the value.',
    'detail[].msg': 'What is wrong.',
    'detail[].type': 'A short name of the kind of problem.',
  },
}
