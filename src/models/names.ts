/** Names that documents and answers share with pages and commands, which can't wait for a library to have them. */

/** What a webhook can be told of. */
export const WEBHOOK_EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
  'test.ping',
] as const

/** What a webhook is sent as: the payload itself, or a message for a chat. */
export const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const

export const REQUEST_STATES = ['pending', 'completed', 'cancelled'] as const
