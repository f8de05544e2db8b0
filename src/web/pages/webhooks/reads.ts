import { type Known, get, useRead } from '../../query.ts'

export const EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
] as const

export interface Webhook {
  readonly webhook_id: string
  readonly url: string
  readonly events: readonly string[]
  readonly description: string | null
  readonly enabled: boolean
  readonly created_at: string
  readonly secret_preview: string
}

export interface Delivery {
  readonly delivery_id: string
  readonly event: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly created_at: string
  readonly response_code: number | null
  readonly duration_ms: number | null
  readonly response_text: string | null
  readonly problem: string | null
}

export interface Tested {
  readonly status: 'delivered' | 'failed'
  readonly response_code: number | null
  readonly duration_ms: number
  readonly response_text: string | null
  readonly problem: string | null
}

export const useWebhooks = (): Known<{ webhooks: Webhook[] }> => useRead(get('v1/webhooks'), 30_000)

export const useDeliveries = (id: string): Known<{ deliveries: Delivery[] }> =>
  useRead(get(`v1/webhooks/${encodeURIComponent(id)}/deliveries`), 5000)
