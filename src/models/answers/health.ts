import { Count, Timestamp } from '../scalars.ts'
import { object } from '../model.ts'

export const Health = object('The server is up.', {
  status: ["'ok'", 'Always ok.'],
  mutation_auth: [
    "'loopback' | 'bearer'",
    'Who may change things: callers from this machine, or callers with a token.',
  ],
  read_auth: ["'open' | 'bearer'", 'Who may read: everybody, or callers with a token.'],
})

export const Ready = object('The ledger can be read and, unless the server only reads, written.', {
  status: ["'ready'", 'Always ready; otherwise the answer is a 503.'],
  'warnings?': [
    'string[]',
    'Problems with the clock of the server or the database; requests that depend on the time may be refused.',
  ],
})

/** GET /v1/metrics */
export const CountersSnapshot = object('Counters of the ledger.', {
  counters: object('The counters.', {
    releases_total: [Count, 'Registered releases.'],
    pricing_tables_total: [Count, 'Imported price tables.'],
    run_events_total: [Count, 'Stored run events.'],
    promoted_pointers_total: [Count, 'Promoted pointers.'],
    actions_total: [Count, 'Actions in the audit trail.'],
    actions_by_action: object('Actions by kind.', { '[string]': Count }),
    webhook_deliveries_pending: [Count, 'Webhook deliveries that wait in the outbox.'],
    webhook_deliveries_failed: [Count, 'Webhook deliveries that were given up and not replayed.'],
  }),
  schema_version: [Count, 'Highest applied migration.'],
  generated_at: [Timestamp, 'When the counters were read.'],
})
export type CountersSnapshot = typeof CountersSnapshot.infer

/** GET /v1/doctor */
export const DoctorReport = object('Read-only checks of the ledger.', {
  ok: ['boolean', 'Whether every check passed.'],
  checks: object('The checks.', {
    name: ['string', 'Name of the check.'],
    ok: ['boolean', 'Whether it passed.'],
    detail: ['string', 'What was found.'],
    'warning?': ['true', 'Present, and true, if the ledger is in order but something threatens it.'],
  }).array(),
})
export type DoctorReport = typeof DoctorReport.infer

/** POST /v1/rollups/rebuild */
export const Rebuilt = object('Rollups and counters were rebuilt.', {
  days: [Count, 'Days of a release in an environment that were rebuilt.'],
  differences: ['string[]', 'What differed from the raw events and decisions before; at most 20.'],
})
export type Rebuilt = typeof Rebuilt.infer

export const ErrorText = object('The problem, in words.', { detail: ['string', 'The sentence to show.'] })

export const OpenApiDocument = object('An OpenAPI 3.1 document.', {
  openapi: [/^3\.1\.\d+$/, 'Version of OpenAPI.'],
  info: ['object', 'What the API is.'],
  servers: ['object[]', 'Where it is served.'],
  tags: ['object[]', 'Groups of operations.'],
  paths: ['object', 'Operations by path and method.'],
  components: ['object', 'Schemas and ways to authenticate.'],
})

export const ValidationError = object('The request has the wrong shape. Nothing was written.', {
  detail: object('One entry per problem.', {
    loc: ['(string | number)[]', 'Where: body, query, path or header, then the way to the value.'],
    msg: ['string', 'The problem.'],
    type: ['string', 'A short name of the kind of problem.'],
  }).array(),
})
