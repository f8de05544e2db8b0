/** Names that documents and answers share with pages and commands, which can't wait for a library to have them. */

/** What a webhook can be told of. */
export const WEBHOOK_EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
  'watch.regressed',
  'watch.rollback_blocked',
  'watch.passed',
  'watch.inconclusive',
  'test.ping',
] as const

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

export const REQUEST_STATES = ['pending', 'completed', 'cancelled'] as const

export const WATCH_STATES = [
  'watching',
  'passed',
  'regressed',
  'inconclusive',
  'rolled_back',
  'superseded',
] as const
