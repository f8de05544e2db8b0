import { jsonOf } from '../../../base/text.ts'
import type { Delivery } from '../../../models/answers/webhook.ts'
import { whyNoChanges } from '../../access.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Raw } from '../../components/raw.tsx'
import { Id, Time, Words } from '../../components/text.tsx'
import { counted, milliseconds } from '../../format.ts'

export const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'warn',
  delivered: 'ok',
  failed: 'bad',
}

/** What was sent to a receiver, newest first: what it answered, and a second try for what it did not take. */
export function Deliveries({
  deliveries,
  onReplay,
}: {
  deliveries: readonly Delivery[]
  onReplay: (ids: readonly string[]) => void
}) {
  const failed = deliveries.filter(({ status }) => status === 'failed').map(({ delivery_id }) => delivery_id)
  const off = whyNoChanges.value !== undefined
  return (
    <>
      {failed.length > 1 && (
        <p>
          <button type="button" class="button small" disabled={off} onClick={() => onReplay(failed)}>
            Replay all {failed.length} that failed
          </button>
        </p>
      )}
      <ul class="deliveries" aria-label="Deliveries">
        {deliveries.map(delivery => (
          <li key={delivery.delivery_id}>
            <OneDelivery delivery={delivery} isOff={off} onReplay={() => onReplay([delivery.delivery_id])} />
          </li>
        ))}
      </ul>
    </>
  )
}

function OneDelivery({
  delivery,
  isOff,
  onReplay,
}: {
  delivery: Delivery
  isOff: boolean
  onReplay: () => void
}) {
  const { status, event, created_at, attempts, delivery_id, next_attempt_at, payload = '' } = delivery
  return (
    <>
      <div class="delivery-head">
        <Badge tone={TONES[status]} {...(status === 'pending' ? { icon: 'waiting' as const } : {})}>
          {status}
        </Badge>
        <strong>{event}</strong>
        <span class="faint">
          <Time at={created_at} />
        </span>
        <button
          type="button"
          class="button small"
          aria-label={`Replay ${event} ${delivery_id}`}
          disabled={isOff}
          onClick={onReplay}
        >
          Replay
        </button>
      </div>
      <p class="faint figures">
        {counted(attempts, 'attempt')}
        {next_attempt_at !== null && (
          <>
            , the next <Time at={next_attempt_at} />
          </>
        )}
        , <Id value={delivery_id} short />
      </p>
      <Answer delivery={delivery} />
      <Raw value={jsonOf(payload)} label="Payload" />
    </>
  )
}

/** What the receiver said, and why that was not good enough. */
function Answer({
  delivery: { response_code, duration_ms, response_text, problem },
}: {
  delivery: Delivery
}) {
  return (
    <>
      <p class="figures">
        {response_code === null ? 'no answer' : `answered ${response_code}`}
        {duration_ms !== null && `, ${milliseconds(duration_ms)}`}
        {problem !== null && (
          <span class="bad">
            {': '}
            <Words>{problem}</Words>
          </span>
        )}
      </p>
      {response_text !== null && response_text !== '' && <pre class="excerpt">{response_text}</pre>}
    </>
  )
}
