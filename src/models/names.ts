/** Names that documents and answers share with pages and commands, which can't wait for a library to have them. */

/** What a webhook can be told of. */
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
  'surface.violated',
  'model.retiring',
  'test.ping',
] as const

/** What a webhook is sent as: the payload itself, or a message for a chat. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

/** How a request was cancelled where nobody called it back. */
export const RESOLUTIONS = ['rejected', 'expired'] as const

export const REQUEST_STATES = ['pending', 'completed', 'cancelled'] as const

export const WATCH_STATES = [
  'watching',
  'passed',
  'regressed',
  'inconclusive',
  'rolled_back',
  'superseded',
] as const

/** What the audit log has entries of. */
export const LOG_KINDS = [
  'decision',
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
  'scores.imported',
  'surface.acknowledged',
  'retirement.set',
  'webhook.added',
  'webhook.updated',
  'webhook.rotated',
  'webhook.removed',
  'webhook.replayed',
  'token.made',
  'token.rotated',
  'token.revoked',
  'events.pruning',
  'events.pruned',
  'events.erasing',
  'events.erased',
  'events.restoring',
  'events.restored',
  'events.digest',
  'server.started',
  'clock.accepted',
  'taken_up',
  'rows.taken_up',
] as const

export type LogKind = (typeof LOG_KINDS)[number]

/** What a named credential may be good for. */
export const ROLES = ['read', 'ingest', 'write', 'admin'] as const

/** What a tool may do to the world outside the agent. */
export const EFFECTS = ['reads', 'writes', 'spends', 'sends'] as const
export type Effect = (typeof EFFECTS)[number]

/** What a policy may forbid a release by name. */
export const FORBIDDEN_KINDS = ['tool', 'scope', 'mcp_server', 'agent', 'provider', 'model'] as const
