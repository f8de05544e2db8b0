import type { Decision } from './trail.ts'
import { type Rows, holds, same } from './invariant.ts'

const ANNOUNCED = 'each decision is announced'

/** What receivers were sent, and what they have to be. */
export class Outbox {
  readonly #rows: Rows
  readonly #received = new Set<string>()

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** The commit of a decision has a delivery for each webhook that subscribes to it. */
  requireAnnounced({ record }: Decision): void {
    const event = eventOf(record)
    if (event === undefined) return
    const webhooks = this.#rows(
      'SELECT webhook_id FROM webhooks WHERE enabled = 1 AND events LIKE ?',
      `%"${event}"%`,
    )
    const deliveries = this.#rows(
      'SELECT webhook_id FROM webhook_deliveries WHERE event = ? AND body LIKE ?',
      event,
      `%"action_id":"${record.action_id}"%`,
    )
    const [delivered, subscribed] = [deliveries, webhooks].map(
      rows => new Set(rows.map(row => row.webhook_id)),
    )
    same(ANNOUNCED, `whom ${record.action_id} is announced to`, delivered, subscribed)
  }

  /** A receiver got a payload, whether or not its answer arrives. */
  received(body: string, isRecorded: (id: string) => boolean): void {
    const { delivery_id, data } = JSON.parse(body) as {
      delivery_id: string
      data: { action_id?: string; request_id?: string; watch_id?: string }
    }
    const id = data.action_id ?? data.request_id
    holds(
      'nothing is announced sooner than it is recorded',
      id === undefined || isRecorded(id),
      () => `a receiver was told of ${id}`,
    )
    this.#received.add(delivery_id)
  }

  /** What counts as delivered was received. At the end nothing waits that could be sent. */
  reckon({ ended = false } = {}): void {
    const rows = this.#rows(
      `SELECT delivery_id, status, attempts FROM webhook_deliveries WHERE status <> 'pending'`,
    )
    for (const { delivery_id, status, attempts } of rows) {
      holds(
        ANNOUNCED,
        status === 'failed' ? attempts === 3 : this.#received.has(String(delivery_id)),
        () => `${delivery_id} is ${status} after ${attempts} attempts, and no receiver has it`,
      )
    }
    if (!ended) return
    const waiting =
      this.#rows(`SELECT d.delivery_id FROM webhook_deliveries d JOIN webhooks w USING (webhook_id)
      WHERE d.status = 'pending' AND w.enabled = 1`)
    same(
      ANNOUNCED,
      'what waits at the end',
      waiting.map(row => row.delivery_id),
      [],
    )
  }
}

function eventOf({ action, policy_passed, forced }: Decision['record']): string | undefined {
  if (forced === true) return 'rollback.forced'
  if (policy_passed) return `${action}.succeeded`
  return action === 'promote' ? 'promote.blocked' : undefined
}
