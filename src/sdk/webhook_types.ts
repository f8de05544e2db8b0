/** A new webhook with its secret, which is told this once. */
export interface CreatedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Where it is sent to. */
  readonly url: string
  /** What it is told of. */
  readonly events: readonly (
    | 'promote.blocked'
    | 'promote.succeeded'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  )[]
  /** What it is for. */
  readonly description: string | null
  /** Whether it is told of anything. */
  readonly enabled: boolean
  /** When it was added. */
  readonly created_at: string
  /** The end of the secret, to tell it by. */
  readonly secret_preview: string
  /** What deliveries are signed with. */
  readonly secret: string
}

/** The webhook is gone, with its deliveries. */
export interface DeletedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Always true. */
  readonly deleted: true
}

/** One payload for one receiver, and how far it has come. */
export interface Delivery {
  /** UUID of the delivery, the same at every attempt and replay. */
  readonly delivery_id: string
  /** The webhook that it is for. */
  readonly webhook_id: string
  /** What it tells. */
  readonly event:
    | 'promote.blocked'
    | 'promote.succeeded'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  /** pending until the receiver took it or three attempts failed. */
  readonly status: 'delivered' | 'failed' | 'pending'
  /** Attempts that ended, since it was last replayed. */
  readonly attempts: number
  /** When what it tells happened. */
  readonly created_at: string
  /** Earliest time of the next attempt; null where none follows. */
  readonly next_attempt_at: string | null
  /** When the last attempt ended. */
  readonly last_attempt_at: string | null
  /** HTTP status of the last answer; null where none came. */
  readonly response_code: number | null
  /** How long the last attempt took. */
  readonly duration_ms: number | null
  /** First 200 characters of the last answer. */
  readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */
  readonly problem: string | null
}

/** Webhook deliveries, newest first. */
export interface DeliveryList {
  /** The deliveries. */
  readonly deliveries: readonly Delivery[]
}

/** What became of a test.ping: one attempt, not kept in the outbox. */
export interface TestedWebhook {
  /** Identifier of the webhook. */
  readonly webhook_id: string
  /** Identifier of this delivery. */
  readonly delivery_id: string
  /** Whether the receiver took it. */
  readonly status: 'delivered' | 'failed'
  /** HTTP status of the last answer; null where none came. */
  readonly response_code: number | null
  /** How long the last attempt took. */
  readonly duration_ms: number
  /** First 200 characters of the last answer. */
  readonly response_text: string | null
  /** Why the last attempt failed; null where it did not. */
  readonly problem: string | null
}

/** Webhooks, oldest first. */
export interface WebhookList {
  /** The webhooks. */
  readonly webhooks: readonly {
    /** Identifier of the webhook. */
    readonly webhook_id: string
    /** Where it is sent to. */
    readonly url: string
    /** What it is told of. */
    readonly events: readonly (
      | 'promote.blocked'
      | 'promote.succeeded'
      | 'promotion.requested'
      | 'rollback.succeeded'
      | 'test.ping'
    )[]
    /** What it is for. */
    readonly description: string | null
    /** Whether it is told of anything. */
    readonly enabled: boolean
    /** When it was added. */
    readonly created_at: string
    /** The end of the secret, to tell it by. */
    readonly secret_preview: string
  }[]
}

export interface WebhooksAddBody {
  /** Where to send to, http or https. */
  readonly url: string
  /** What to tell of. */
  readonly events: readonly (
    | 'promote.succeeded'
    | 'promote.blocked'
    | 'promotion.requested'
    | 'rollback.succeeded'
    | 'test.ping'
  )[]
  /** What it is for. */
  readonly description?: string | null | undefined
}

export interface WebhooksDeliveriesQuery {
  /** Only deliveries in this state. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined
  /** Most deliveries to return. */
  readonly limit?: number | undefined
}

export interface DeliveriesListQuery {
  /** Only deliveries in this state. */
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined
  /** Most deliveries to return. */
  readonly limit?: number | undefined
}
