import { jsonOf } from '../../base/text.ts'
import type { Delivery } from '../../features/deliveries/models.ts'
import { Badge } from '../ui/badge.tsx'
import { ExactTime, Words } from '../ui/text.tsx'
import { get, useRead } from '../query.ts'
import { useWebhooks } from '../reads.ts'
import { href } from '../route.ts'

/** Most deliveries that are searched, the newest. */
const MOST = 200

/** Who was informed, and when: deliveries are for administrators to see. */
export function Informed({ event: announced, field, id }: { event: string; field: string; id: string }) {
  const sent = useRead<{ deliveries: Delivery[] }>(
    get('v1/webhook-deliveries', { limit: MOST, payload: 'true' }),
  )
  const webhooks = useWebhooks().data?.webhooks
  if (sent.error !== undefined) {
    return <p class="faint">Who was informed is for administrators to see.</p>
  }
  if (sent.data === undefined) return null
  const mine = sent.data.deliveries.filter(
    ({ event, payload }) => event === announced && dataOf(payload)?.[field] === id,
  )
  return (
    <>
      <h3>Who was informed</h3>
      {mine.length === 0 && sent.data.deliveries.length === MOST ? (
        <p>None of the newest {MOST} deliveries is about this; older ones are not searched.</p>
      ) : mine.length === 0 ? (
        <p>
          Nobody by webhook or chat. <a href={href('settings', { part: 'webhooks' })}>Add one</a> for{' '}
          {announced}.
        </p>
      ) : (
        <ul class="reasons" aria-label="Who was informed">
          {mine.map(({ delivery_id, webhook_id, status, last_attempt_at }) => (
            <li key={delivery_id}>
              <a href={href('settings', { part: 'webhooks', webhook: webhook_id })}>
                <Words>
                  {webhooks?.find(webhook => webhook.webhook_id === webhook_id)?.url ?? webhook_id}
                </Words>
              </a>{' '}
              <Badge tone={status === 'delivered' ? 'ok' : status === 'failed' ? 'bad' : 'warn'}>
                {status}
              </Badge>{' '}
              {last_attempt_at !== null && <ExactTime at={last_attempt_at} />}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function dataOf(payload = ''): Readonly<Record<string, unknown>> | undefined {
  return (jsonOf(payload) as { data?: Record<string, unknown> } | undefined)?.data
}
