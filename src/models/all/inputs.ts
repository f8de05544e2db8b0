import { type } from 'arktype'
import { addressBytes, by } from '../checks.ts'
import {
  Label,
  Moment,
  Positive,
  Prose,
  SuiteName,
  Window,
  input,
  limitField,
  oneOf,
  some,
  whoField,
} from './input.ts'
import { LOG_FAMILIES, LOG_KINDS, REQUEST_STATES, ROLES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../names.ts'
import { Checksum, Count, Dimension, Identifier, ofForm } from '../scalars.ts'

/** What a decision says of what it replaces. */
const EXPECTED = {
  'expected_baseline_release_id?': [
    Identifier.or('null'),
    'The release that was promoted there when you looked; null if nothing was. Where something else is promoted by now, the answer is 412 and nothing is recorded. Not checked where it is left out.',
  ],
} as const

/** Of POST /v1/promote, /v1/promote/request and /v1/rollback. */
const PROPOSAL = {
  release_id: [Dimension, 'Release to move the pointer to.'],
  environment: [Label, 'Environment whose pointer it is.'],
  window: [Window, 'How far back events count: {N}d, {N}h or {N}m.'],
  reason: [Prose, 'Why; recorded in the audit log.'],
  ...EXPECTED,
  ...whoField(),
} as const

const FIRST = {
  first: [
    type.boolean,
    'Says that a first promotion is meant, which is compared with nothing; needed for one where the workspace is strict.',
    false,
  ],
} as const

const DRY_RUN = { dry_run: [type.boolean, 'Evaluate and answer, but write nothing.', false] } as const

/** Of GET /v1/runs and GET /v1/runs/export. */
const RUNS = {
  release_id: [Dimension, 'Release whose events to read.'],
  window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
  'until?': [Moment, 'The end of the window, an ISO-8601 date and time; default now.'],
  'environment?': [Dimension, 'Default: the default environment of the workspace.'],
  'tenant_id?': [Identifier, 'Exact filter.'],
  'task_id?': [Identifier, 'Exact filter.'],
  'trace_id?': [Identifier, 'Exact filter on request.trace_id.'],
  'session_id?': [Identifier, 'Exact filter on request.session_id.'],
  'span_id?': [Identifier, 'Exact filter on request.span_id.'],
  'outcome?': [oneOf(['success', 'failed']), 'Only runs that ended so.'],
  'error_type?': [Identifier, 'Only failed runs of this type of error.'],
  'min_latency_ms?': [Count, 'Only runs that took so long or longer.'],
  offset: [type('0 <= number.integer <= 500000'), 'Skips so many of the newest matching events.', 0],
} as const

const TOKEN_NAME = [
  ofForm(
    /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/,
    'a name of letters, digits, _, ., @ and -, at most 64 long, that begins with a letter or digit, such as ci-deploy',
  ),
  'Name of the token; it is put on record for what is done with it.',
] as const
const EXPIRES = [
  ofForm(/^[1-9]\d{0,4}[dhm]$/, 'a number and d, h or m, such as 90d'),
  'How long it is valid: 90d, 24h, 30m. For ever unless given.',
] as const

/** What the endpoints of the core take. */
export const INPUTS = {
  Diff: input({
    body: {
      baseline_release_id: [Dimension, 'Release to compare with.'],
      candidate_release_id: [Dimension, 'Release to judge.'],
      window: [Window, 'How far back: {N}d, {N}h or {N}m.'],
      'until?': [Moment, 'The end of the window, an ISO-8601 date and time; default now.'],
      'environment?': [Dimension, 'Default: the default environment of the workspace.'],
      'tenant_id?': [Dimension, 'Exact filter.'],
      'task_id?': [Dimension, 'Exact filter.'],
      'cluster_by?': [
        oneOf(['time', 'session', 'tenant']),
        'What runs resemble each other within: blocks of time, or sessions or tenants of up to 10,000 runs per side that are compared. As the policy says unless given.',
      ],
      'compare_by?': [
        oneOf(['time', 'tenant', 'task', 'window']),
        'What is compared: `time` is the blocks of time in which both releases ran, `tenant` and `task` each tenant or task that both served, `window` all runs of the window. As the policy says unless given, which promotions and gates go by.',
      ],
      tails: [type.boolean, 'Percentiles of the latency, which take a few milliseconds more.', false],
      judged: [type.boolean, 'Each limit with what was measured, and the verdict in a sentence.', false],
      tools: [type.boolean, 'Calls of tools per run, of the newest 10,000 runs of each side.', false],
      'sequential?': [
        type.boolean,
        'Use intervals that stay valid however often you check. As the policy says unless given.',
      ],
    },
  }),
  PromoteRelease: input({
    body: {
      ...PROPOSAL,
      ...DRY_RUN,
      ...FIRST,
    },
  }),
  PromoteRequest: input({
    body: {
      ...PROPOSAL,
      ...FIRST,
    },
  }),
  PromoteConfirm: input({
    body: {
      request_id: [Dimension, 'Request to confirm.'],
      approval_reason: [Prose, 'Why it is approved; kept in the audit trail.'],
      ...EXPECTED,
      ...whoField('confirms'),
      dry_run: [
        type.boolean,
        'Evaluate and say what has changed since the request, but write nothing.',
        false,
      ],
    },
  }),
  PromoteReject: input({
    body: {
      request_id: [Dimension, 'Request to reject.'],
      reason: [Prose, 'Why; kept with the request.'],
      ...whoField('rejects'),
    },
  }),
  PromoteCancel: input({
    body: {
      request_id: [Dimension, 'Request to cancel.'],
      reason: [Prose, 'Why; kept with the request.'],
      ...whoField('cancels'),
    },
  }),
  RollbackRelease: input({
    body: {
      ...PROPOSAL,
      ...DRY_RUN,
      force: [
        type.boolean,
        'Goes back to a release that was live there before without asking the policy; only where allow_forced_rollback is true.',
        false,
      ],
      exclude_unusable: [
        type.boolean,
        'Leaves out runs that keep a side from being decided on (of another agent, or of a model without a price), at most 5 % of the runs of each side; the answer and the evidence name and count them.',
        false,
      ],
    },
  }),
  PromotionRequests: input({
    query: {
      'id?': [Dimension, 'Only the request with this id.'],
      'status?': [oneOf(REQUEST_STATES), 'Only requests in this state.'],
      ...limitField('requests'),
    },
  }),
  ActionsList: input({
    query: {
      'agent?': [Dimension, 'Only this agent_id.'],
      'env?': [Dimension, 'Only this environment.'],
      'actor?': [Dimension, 'Only actions by this actor.'],
      'verdict?': [
        oneOf(['passed', 'blocked', 'forced']),
        'Only actions that passed, that were blocked, or that were forced past the policy.',
      ],
      'since?': [Moment, 'Only actions since then: an ISO-8601 date and time.'],
      'until?': [Moment, 'Only actions before then: an ISO-8601 date and time.'],
      limit: [type('number.integer'), 'Most actions to return; moved into the range 1 to 500.', 50],
      'after?': [Count, 'Only actions older than this audit_seq: pass next_after to get the next page.'],
      evidence: [type.boolean, 'Answers each action with its evidence, actor source and hashes.', false],
    },
  }),
  ActionsShow: input({
    path: { action_id: [Dimension, 'Action to show.'] },
  }),
  ReleasesList: input({
    query: {
      'agent?': [Identifier, 'Only this agent_id.'],
      'env?': [Identifier, 'Only those that were registered for this environment.'],
      'after?': [Identifier, 'Only releases older than this release_id: the last one of the page before.'],
      'limit?': [Positive, 'Only the newest so many; all unless given.'],
    },
  }),
  ReleasesRegister: input({
    body: {
      artifact: [{ document: 'Release' }, 'The parsed release.yaml; kept as it is.'],
      checksum: [Checksum, 'SHA-256 of the canonical bundle: 64 lowercase hex characters.'],
      'environment?': [Label, 'Label; the default environment of the workspace unless given.'],
      'files?': [
        { document: 'BundleFiles' },
        'The files of the bundle by path, each with its SHA-256 and length, so that two releases can be told apart file by file; and with its text where that is to be kept, at most 1 MB in all.',
      ],
      reuse: [
        type.boolean,
        'Answers with the newest release of the same checksum, files, artifact and environment that was registered when the price table was what it is now, and makes a new one only where there is none.',
        false,
      ],
    },
  }),
  ReleasesShow: input({
    path: { release_id: [Dimension, 'Release to show.'] },
    query: {
      run_environments: [
        type.boolean,
        'Also answers the environments that runs of it were ingested in.',
        false,
      ],
    },
  }),
  ReleaseFilesList: input({
    path: { release_id: [Dimension, 'Release whose files to list.'] },
  }),
  ReleaseModels: input({
    path: { release_id: [Dimension, 'Release that ran.'] },
    query: { window: [Prose, 'How far back: 7d, 24h, 30m.'] },
  }),
  RunsList: input({
    query: {
      ...RUNS,
      ...limitField('events', 100),
    },
  }),
  RunsExport: input({
    query: {
      ...RUNS,
      ...limitField('events', 500),
    },
  }),
  RollupsRebuild: input({
    body: {},
  }),
  PolicySet: input({
    query: { 'reason?': [Prose, 'Why; kept in the history of policies.'] },
  }),
  PricingImport: input({
    body: {
      table: [{ document: 'PricingTable' }, 'The whole table.'],
      replace: [type.boolean, 'Replace a table of the same provider and version.', false],
      'reason?': [Prose, 'Why it is replaced; required with replace.'],
    },
  }),
  PricingShow: input({
    path: {
      provider: [Dimension, 'Provider.'],
      pricing_version: [Dimension, 'Version.'],
    },
  }),
  AuditLog: input({
    query: {
      'kind?': [
        oneOf([...LOG_KINDS, ...LOG_FAMILIES]),
        'Only entries of this kind, such as policy.set, or of all that begin so, such as policy.',
      ],
      'agent?': [Dimension, 'Only entries about this agent_id.'],
      'env?': [Dimension, 'Only entries about this environment.'],
      'actor?': [Dimension, 'Only entries by this actor.'],
      'since?': [Moment, 'Only entries since then: an ISO-8601 date and time.'],
      'until?': [Moment, 'Only entries before then: an ISO-8601 date and time.'],
      facts: [type.boolean, 'Also the text that `fact` of each entry is the SHA-256 of.', false],
      ...limitField('entries'),
      'after?': [Count, 'Only entries older than this log_seq: pass next_after to get the next page.'],
    },
  }),
  WebhooksAdd: input({
    body: {
      url: [type.string.narrow(by(addressBytes)), 'Where to send to, http or https.'],
      events: [some(oneOf(WEBHOOK_EVENTS)), 'What to tell of.'],
      'description?': [Prose, 'Its description.'],
      'format?': [
        oneOf(WEBHOOK_FORMATS),
        'What to send: the payload (json), or a message for an incoming webhook of a chat.',
      ],
    },
  }),
  WebhooksRemove: input({
    path: { webhook_id: [Dimension, 'Webhook to remove.'] },
  }),
  WebhooksTest: input({
    path: { webhook_id: [Dimension, 'Webhook to test.'] },
  }),
  TokensCreate: input({
    body: {
      name: TOKEN_NAME,
      role: [
        oneOf(ROLES),
        'What it is good for: `read`; `ingest`, which sends run events and reads nothing; `write`, which reads, registers, promotes and rolls back; `admin`, all.',
      ],
      'agents?': [some(Label, 20), 'Its agents; default all.'],
      'environments?': [some(Label, 20), 'Its environments; default all.'],
      'source?': [SuiteName, 'Limits a token of the role `ingest` to the aggregates of this source.'],
      'expires?': EXPIRES,
    },
  }),
  TokensRotate: input({
    path: {
      name: TOKEN_NAME,
    },
    body: {
      'overlap?': [
        ofForm(/^(?:0|[1-9]\d{0,4})[dhm]$/, 'a number and d, h or m, such as 24h, or 0d for none'),
        'How long the ones before it stay good; 24h unless given.',
      ],
      'expires?': EXPIRES,
    },
  }),
  TokensRevoke: input({
    path: {
      name: TOKEN_NAME,
    },
    query: {
      open: [
        type.boolean,
        'Also the last one, which keeps the service closed to everybody without a token.',
        false,
      ],
    },
  }),
  Doctor: input({
    query: {
      deep: [
        type.boolean,
        'Verifies both chains from their first entry on, replays every decision, and compares all rows with what holds them; slow, and `write` access.',
        false,
      ],
    },
  }),
} as const
type CoreInputs = typeof INPUTS

declare module './input.ts' {
  interface Inputs extends CoreInputs {}
}
