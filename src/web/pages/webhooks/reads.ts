import type { Delivery, Webhook } from '../../../models/answers/webhook.ts'
import { type Known, get, useRead } from '../../query.ts'

export const useWebhooks = (): Known<{ webhooks: Webhook[] }> => useRead(get('v1/webhooks'), 30_000)

export const useDeliveries = (id: string): Known<{ deliveries: Delivery[] }> =>
  useRead(get(`v1/webhooks/${encodeURIComponent(id)}/deliveries`), 5000)
