import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Count, Timestamp } from '../scalars.ts'

/** GET /health */
export const Health = type({
  status: "'ok'",
  mutation_auth: "'loopback' | 'bearer'",
  read_auth: "'open' | 'bearer'",
})

export const health = documented(Health, {
  title: 'Health',
  description: 'The server is up.',
  fields: {
    status: 'Always ok.',
    mutation_auth: 'Who may change things: callers from this machine, or bearers of the token.',
    read_auth: 'Who may read: anybody, or bearers of a token.',
  },
})

/** GET /ready */
export const Ready = type({ status: "'ready'", 'warnings?': 'string[]' })

export const ready = documented(Ready, {
  title: 'Ready',
  description: 'The ledger can be read and, unless the server only reads, written.',
  fields: {
    status: 'Always ready; otherwise the answer is a 503.',
    warnings:
      'What is wrong with the clock of the server or the database; what depends on the time may be refused.',
  },
})

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

export const countersSnapshot = documented(CountersSnapshot, {
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
})

/** GET /v1/doctor */
export const DoctorReport = type({
  ok: 'boolean',
  checks: type({ name: 'string', ok: 'boolean', detail: 'string', 'warning?': 'true' }).array(),
})
export type DoctorReport = typeof DoctorReport.infer

export const doctorReport = documented(DoctorReport, {
  title: 'DoctorReport',
  description: 'Read-only checks of the ledger.',
  fields: {
    ok: 'Whether every check passed.',
    checks: 'The checks.',
    'checks[].name': 'Name of the check.',
    'checks[].ok': 'Whether it passed.',
    'checks[].detail': 'What was found.',
    'checks[].warning': 'There, and true, where nothing is wrong with the ledger but something threatens it.',
  },
})

/** POST /v1/rollups/rebuild */
export const Rebuilt = type({ days: Count })

export const rebuilt = documented(Rebuilt, {
  title: 'Rebuilt',
  description: 'Rollups and counters were rebuilt.',
  fields: { days: 'Days of a release in an environment that were rebuilt.' },
})

/** Bodies of errors. */
export const ErrorText = type({ detail: 'string' })

export const errorText = documented(ErrorText, {
  title: 'ErrorText',
  description: 'What is wrong, in words.',
  fields: { detail: 'The sentence to show.' },
})

/** GET /openapi.json */
export const OpenApiDocument = type({
  openapi: /^3\.1\.\d+$/,
  info: 'object',
  servers: 'object[]',
  tags: 'object[]',
  paths: 'object',
  components: 'object',
})

export const openApiDocument = documented(OpenApiDocument, {
  title: 'OpenApiDocument',
  description: 'An OpenAPI 3.1 document.',
  fields: {
    openapi: 'Version of OpenAPI.',
    info: 'What the API is.',
    servers: 'Where it is served.',
    tags: 'Groups of operations.',
    paths: 'Operations by path and method.',
    components: 'Schemas and ways to authenticate.',
  },
})

export const ValidationError = type({
  detail: type({ loc: '(string | number)[]', msg: 'string', type: 'string' }).array(),
})

export const validationError = documented(ValidationError, {
  title: 'ValidationError',
  description: 'The request has not the shape it needs. Nothing was written.',
  fields: {
    detail: 'One entry per problem.',
    'detail[].loc': 'Where: body, query, path or header, then the way to the value.',
    'detail[].msg': 'What is wrong.',
    'detail[].type': 'A short name of the kind of problem.',
  },
})
