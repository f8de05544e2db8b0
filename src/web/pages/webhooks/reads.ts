import type { Delivery, Webhook } from '../../../models/answers/webhook.ts'
import { type Known, get, useRead } from '../../query.ts'

export const useWebhooks = (isAsked = true): Known<{ webhooks: Webhook[] }> =>
  useRead(isAsked ? get('v1/webhooks') : null, 30_000)

export const useDeliveries = (id: string): Known<{ deliveries: Delivery[] }> =>
  useRead(get(`v1/webhooks/${encodeURIComponent(id)}/deliveries`, { payload: 'true' }), 5000)

/** The newest deliveries of all webhooks. */
export const useAllDeliveries = (isAsked = true): Known<{ deliveries: Delivery[] }> =>
  useRead(isAsked ? get('v1/webhook-deliveries', { limit: 500 }) : null, 30_000)
