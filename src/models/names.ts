/** Names that documents and answers share with pages and commands, which can't wait for a library to have them. */

import { limitsOn } from './limits.ts'

export const WEBHOOK_EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
  'rollback.forced',
  'watch.regressed',
  'watch.rollback_blocked',
  'watch.passed',
  'watch.inconclusive',
  'capabilities.violated',
  'rollout.started',
  'rollout.advanced',
  'rollout.paused',
  'rollout.resumed',
  'rollout.aborted',
  'rollout.completed',
  'rollout.expired',
  'test.ping',
] as const

/** What a webhook is sent as: the payload itself, or a message for a chat. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

/** How a request was cancelled where nobody called it back. */
export const RESOLUTIONS = ['rejected', 'expired'] as const

export const REQUEST_STATES = ['pending', 'completed', 'cancelled'] as const

/** What a rollout splits by chance. */
export const ROLLOUT_UNITS = ['session', 'tenant', 'user'] as const
export type RolloutUnit = (typeof ROLLOUT_UNITS)[number]

/** Limits that `on_rollback` of a policy may name: those that don't take the time in which both releases ran. */
export const ROLLBACK_KEYS = [
  ...[...limitsOn('change'), ...limitsOn('tail'), ...limitsOn('mean'), ...limitsOn('further_change')].map(
    ({ key }) => key,
  ),
  'min_scores',
  'max_score_drop',
] as const

/** What the audit log has entries of. */
export const LOG_KINDS = [
  'decision',
  'action.reviewed',
  'policy.set',
  'prices.import',
  'release.registered',
  'request.made',
  'request.approved',
  'request.rejected',
  'request.cancelled',
  'request.expired',
  'watch.started',
  'watch.ended',
  'watch.retried',
  'live.worse',
  'live.other_model',
  'live.silent',
  'live.recovered',
  'rollout.requested',
  'rollout.approved',
  'rollout.rejected',
  'rollout.refused',
  'rollout.started',
  'rollout.advanced',
  'rollout.paused',
  'rollout.resumed',
  'rollout.aborted',
  'rollout.completed',
  'rollout.expired',
  'scores.imported',
  'capabilities.acknowledged',
  'retirement.set',
  'aggregates.source',
  'aggregates.handed_over',
  'aggregates.fewer',
  'webhook.added',
  'webhook.updated',
  'webhook.rotated',
  'webhook.removed',
  'webhook.replayed',
  'token.made',
  'token.rotated',
  'token.revoked',
  'session.key_made',
  'session.opened',
  'session.refused',
  'session.ended',
  'events.pruning',
  'events.pruned',
  'events.erasing',
  'events.erased',
  'events.restoring',
  'events.restored',
  'events.digest',
  'rollups.rebuilding',
  'server.started',
  'clock.accepted',
] as const

export type LogKind = (typeof LOG_KINDS)[number]

/** Kinds of entries that are about one row each of a table of facts. */
export const FACT_OF: Partial<Record<LogKind, 'actions' | 'policies' | 'prices' | 'releases'>> = {
  decision: 'actions',
  'policy.set': 'policies',
  'prices.import': 'prices',
  'release.registered': 'releases',
}

/** What an entry is of: `policy` of `policy.set`. */
export const LOG_FAMILIES: readonly string[] = [
  ...new Set(LOG_KINDS.filter(kind => kind.includes('.')).map(kind => kind.split('.')[0]!)),
]

/** What became of a case of an evaluation, from one release to the next. */
export const CASE_STATES = [
  'newly_failing',
  'flaky',
  'still_failing',
  'newly_passing',
  'passing',
  'failing',
  'only_candidate',
  'only_baseline',
  'lower',
  'higher',
] as const
export type CaseState = (typeof CASE_STATES)[number]

/** How the name of an actor came: who proved to be somebody, or only says so, or what the service does by itself. */
export const ACTOR_SOURCES = ['header', 'forwarded', 'body', 'cli', 'token', 'oidc', 'watch'] as const

/** Names that are on record for callers without a name, and for what servers do by themselves. */
export const RESERVED_NAMES = ['http', 'cli', 'service', 'watch'] as const

/** What a named credential may be good for. */
export const ROLES = ['read', 'ingest', 'write', 'admin'] as const

/** What callers may do: what their role says, or to send the aggregates of one source. */
export const ACCESSES = [...ROLES, 'aggregates'] as const

/** What a tool may do to the world outside the agent. */
export const EFFECTS = ['reads', 'writes', 'spends', 'sends'] as const
export type Effect = (typeof EFFECTS)[number]

/** What a policy may forbid a release by name. */
export const FORBIDDEN_KINDS = ['tool', 'scope', 'mcp_server', 'agent', 'provider', 'model'] as const

/** Who promotes doesn't send what is decided by: that takes a token of its own, or an admin. */
export const ROLE_ALLOWS = {
  read: ['read'],
  ingest: ['ingest'],
  write: ['read', 'write'],
  admin: ROLES,
} as const satisfies Readonly<Record<(typeof ROLES)[number], readonly (typeof ROLES)[number][]>>

/** What each access opens, after "may". */
const ACCESS_WORDS = {
  read: 'read',
  ingest: 'send run events',
  write: 'register, promote and roll back',
  admin: 'set policies and prices, and manage webhooks, tokens and sessions',
  aggregates: 'send aggregates of one source',
} as const satisfies Readonly<Record<(typeof ACCESSES)[number], string>>

export function allowedWords(allows: readonly (typeof ACCESSES)[number][]): string {
  return allows.map(access => ACCESS_WORDS[access]).join(', ') || 'nothing'
}

/** Why somebody has to see to a place, the most harmful first. */
export const CONCERN_KINDS = [
  'worse',
  'blocked',
  'no_price',
  'awaiting_approval',
  'regressed',
  'rollout_aborted',
  'rollout_paused',
  'unusable',
  'request',
  'rollout_request',
  'model_retires',
  'needs_runs',
] as const
