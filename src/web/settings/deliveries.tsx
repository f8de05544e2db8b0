import { jsonOf } from '../../base/text.ts'
import type { Delivery } from '../../features/deliveries/models.ts'
import type { Webhook } from '../../models/answers/webhook.ts'
import { whyNoChanges } from '../access.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Id, Raw, Time, Words } from '../ui/text.tsx'
import { counted, milliseconds } from '../format.ts'
import { callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Failure, Note } from '../ui/note.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Known, get, useRead } from '../query.ts'
import { useWebhooks } from '../reads.ts'
import { href } from '../route.ts'
import { Button } from '../ui/button.tsx'

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'warn',
  delivered: 'ok',
  failed: 'bad',
}

export function DeliveriesOf({ webhook: { webhook_id } }: { webhook: Webhook }) {
  const sent = useDeliveries(webhook_id)
  const { problem, attempt } = useAttempt()
  const replayAll = (ids: readonly string[]): Promise<void> =>
    attempt(async () => {
      for (const id of ids) {
        await callApi({ method: 'POST', path: `v1/webhook-deliveries/${encodeURIComponent(id)}/replay` })
      }
    })
  return (
    <>
      <h3>Deliveries</h3>
      <Failure message={problem} />
      <Loaded known={sent}>
        {({ deliveries: all }) =>
          all.length === 0 ? (
            <p class="faint">Nothing was sent yet.</p>
          ) : (
            <List all={all} onReplay={ids => void replayAll(ids)} />
          )
        }
      </Loaded>
    </>
  )
}

/** What was sent to a receiver, newest first: what it answered, and a second try for what it did not take. */
function List({ all, onReplay }: { all: readonly Delivery[]; onReplay: (ids: readonly string[]) => void }) {
  const failed = all.filter(({ status }) => status === 'failed').map(({ delivery_id }) => delivery_id)
  const off = whyNoChanges.value !== undefined
  return (
    <>
      {failed.length > 1 && (
        <p>
          <Button kind="small" disabled={off} onClick={() => onReplay(failed)}>
            Replay all {failed.length} that failed
          </Button>
        </p>
      )}
      <ul class="deliveries" aria-label="Deliveries">
        {all.map(delivery => (
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
        <Button
          kind="small"
          aria-label={`Replay ${event} ${delivery_id}`}
          disabled={isOff}
          onClick={onReplay}
        >
          Replay
        </Button>
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
export function Answer({
  delivery: { response_code, duration_ms, response_text, problem },
}: {
  delivery: Pick<Delivery, 'response_code' | 'duration_ms' | 'response_text' | 'problem'>
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

/** Whoever relies on announcements should know where they fail. Webhooks are only shown to who may change things. */
export function FailingWebhooks() {
  const mayChange = whyNoChanges.value === undefined
  const webhooks = useWebhooks(mayChange).data?.webhooks ?? []
  const sent = useAllDeliveries(mayChange).data?.deliveries ?? []
  const failing = webhooks.filter(
    ({ webhook_id, enabled }) => enabled && outcomeOf(webhook_id, sent).last?.status === 'failed',
  )
  const [first] = failing
  if (first === undefined) return null
  return (
    <Note>
      {counted(failing.length, 'webhook')} could not deliver the last time:{' '}
      <a
        href={
          failing.length === 1
            ? href('settings', { part: 'webhooks', webhook: first.webhook_id })
            : href('settings', { part: 'webhooks' })
        }
      >
        <bdi>{first.url}</bdi>
        {failing.length > 1 && ' and others'}
      </a>
    </Note>
  )
}

/** The last result, and how many of the newest deliveries were taken. */
export function Delivered({ webhook: { webhook_id } }: { webhook: Webhook }) {
  const sent = useAllDeliveries().data?.deliveries
  if (sent === undefined) return <span class="faint">not known yet</span>
  const { last, ended, taken } = outcomeOf(webhook_id, sent)
  if (last === undefined) return <span class="faint">nothing sent yet</span>
  return (
    <div class="stack">
      <span>
        <Badge tone={TONES[last.status]}>
          {last.status === 'failed' ? `failed: ${last.response_code ?? 'no answer'}` : last.status}
        </Badge>{' '}
        <span class="faint">
          <Time at={last.created_at} />
        </span>
      </span>
      {ended > 0 && (
        <span class="success figures">
          <span class="share-bar" aria-hidden="true">
            <span class="better" style={{ width: `${(taken / ended) * 100}%` }} />
          </span>
          {taken} of {ended} taken
        </span>
      )}
    </div>
  )
}

interface Outcome {
  /** The newest delivery that has come to an end; else the newest that waits. */
  readonly last: Delivery | undefined
  /** How many have come to an end, and how many of those were taken. */
  readonly ended: number
  readonly taken: number
}

/** What became of the deliveries of a webhook, which come newest first. */
function outcomeOf(webhookId: string, sent: readonly Delivery[]): Outcome {
  const mine = sent.filter(({ webhook_id }) => webhook_id === webhookId)
  const ended = mine.filter(({ status }) => status !== 'pending')
  return {
    last: ended[0] ?? mine[0],
    ended: ended.length,
    taken: ended.filter(({ status }) => status === 'delivered').length,
  }
}

const useDeliveries = (id: string): Known<{ deliveries: Delivery[] }> =>
  useRead(get(`v1/webhooks/${encodeURIComponent(id)}/deliveries`, { payload: 'true' }), 5000)

/** The newest deliveries of all webhooks. */
const useAllDeliveries = (mayChange = true): Known<{ deliveries: Delivery[] }> =>
  useRead(mayChange ? get('v1/webhook-deliveries', { limit: 500 }) : null, 30_000)
