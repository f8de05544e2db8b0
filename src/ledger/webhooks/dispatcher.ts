import { sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns, field, onlyRow, together } from '../../sql/query.ts'
import { RECEIVER, type Receiver, deliverOnce, toReceiver } from './attempt.ts'
import type { Ledger } from '../world/ledger.ts'
import { stillSigning } from './webhooks.ts'
import { type Claimed, FURTHEST_MS, claimDue, recordAttempt } from './outbox.ts'

/** Sends what is due, for as many receivers at once as have something, each in a lane of its own. */
export interface Dispatcher {
  /**
   * Starts sending all that is due, and returns in how many ms to look again: the next attempt that is planned, or
   * undefined where there is none. Lanes already under way go on.
   */
  dispatch(): Promise<number | undefined>
  /** Resolves when all lanes have ended, with whether there were any. */
  settled(): Promise<boolean>
  /** Lets each lane end after what it is sending now. */
  stop(): void
}

interface DispatcherOptions {
  /** Called when a lane has ended: then its next attempt can be planned. */
  readonly onLaneEnd?: () => void
  /** Nothing is claimed from then on, by the ledger's own clock, epoch ms. */
  readonly until?: number
  /** Least time between two batches for one receiver, ms; without it they follow at once. */
  readonly paceMs?: number
}

/** Deliveries that one receiver gets at a time. */
const LANE_WIDTH = 4

/**
 * How long a receiver is left alone after a failure. Else one that is down would be tried, thousands of times over, by
 * all that waits for it, at the cost of the decisions that are made meanwhile.
 */
const PAUSE_MS = 1000

/**
 * Makes a dispatcher over the outbox. Any number of them may run at once, in any process: leases keep them apart.
 * It has no timers; who drives it calls `dispatch` again when there is something to do.
 */
export function createDispatcher(ledger: Ledger, options: DispatcherOptions = {}): Dispatcher {
  const { onLaneEnd, until = Number.POSITIVE_INFINITY, paceMs } = options
  const lanes = new Map<string, Promise<void>>()
  const pauses = new Map<string, Pause>()
  let stopped = false

  const mayClaim = (): boolean => !stopped && ledger.now() < until

  async function runLane(receiver: Receiver): Promise<void> {
    const { webhook_id } = receiver
    const well = await sendAll(receiver).catch((error: unknown) => {
      // What was sent but not recorded is sent again when its lease is over: at least once.
      ledger.log('warn', 'webhook deliveries could not be recorded', { webhook_id, error })
      return false
    })
    const pauseMs = well ? paceMs : PAUSE_MS
    if (pauseMs !== undefined) pauses.set(webhook_id, { pauseMs, from: undefined })
    lanes.delete(webhook_id)
    onLaneEnd?.()
  }

  /** Returns false as soon as the receiver did not take one. */
  async function sendAll(receiver: Receiver): Promise<boolean> {
    while (mayClaim()) {
      const claimed = await claimDue(ledger, receiver.webhook_id, LANE_WIDTH)
      if (claimed.length === 0) break
      const taken = await Promise.all(claimed.map(delivery => deliver(ledger, receiver, delivery)))
      if (taken.includes(false)) return false
      if (paceMs !== undefined) break
    }
    return true
  }

  return {
    dispatch: async () => {
      const { now, receivers } = await dueReceivers(ledger)
      // Also those of webhooks that are no more.
      for (const [webhook_id, pause] of pauses) {
        pause.from ??= now
        if (pauseLeft(pause, now) <= 0) pauses.delete(webhook_id)
      }
      let next: number | undefined
      for (const receiver of receivers) {
        const { webhook_id, dueIn } = receiver
        if (lanes.has(webhook_id)) continue
        const pause = pauses.get(webhook_id)
        const wait = Math.max(dueIn, pause === undefined ? 0 : pauseLeft(pause, now))
        if (wait > 0) next = Math.min(next ?? wait, wait)
        else if (mayClaim()) lanes.set(webhook_id, runLane(receiver))
      }
      return next
    },
    settled: async () => {
      const ended = await Promise.all(lanes.values())
      return ended.length > 0
    },
    stop: () => {
      stopped = true
    },
  }
}

/** How long a receiver is left alone, from the look at the outbox on that came after. */
interface Pause {
  readonly pauseMs: number
  /** By the database's clock, epoch ms. */
  from: number | undefined
}

/** A clock that was set back makes no pause longer. */
function pauseLeft({ pauseMs, from }: Pause, now: number): number {
  return from === undefined || from > now ? pauseMs : from + pauseMs - now
}

interface Waiting extends Receiver {
  /** Until its first delivery is due, ms; 0 where it is. */
  readonly dueIn: number
}

/**
 * Receivers for which something waits, and what the database's clock says, epoch ms. What waits for a webhook that is
 * disabled waits on.
 */
async function dueReceivers({ sql: db }: Ledger): Promise<{ now: number; receivers: Waiting[] }> {
  const waitingFor = allRows(
    sql`SELECT webhook_id, url, format, secret, previous_secret, due_at, late FROM (
        SELECT w.seq, w.webhook_id, w.url, w.format, w.secret, ${stillSigning(db.clock)} AS previous_secret, (
          SELECT min(d.due_at) FROM webhook_deliveries d
          WHERE d.status = 'pending' AND d.webhook_id = w.webhook_id
        ) AS due_at, (
          SELECT max(d.due_at) FROM webhook_deliveries d
          WHERE d.status = 'pending' AND d.webhook_id = w.webhook_id
        ) AS late
        FROM webhooks w WHERE w.enabled = 1
      ) AS waiting
      WHERE due_at IS NOT NULL ORDER BY seq`,
    columns({ ...RECEIVER, due_at: asNumber, late: asNumber }),
  )
  const clock = onlyRow(sql`SELECT ${db.clock} AS now`, field('now', asNumber))
  const { now, waiting } = await ask(db, together({ now: clock, waiting: waitingFor }))
  const receivers = waiting.map(row => ({ ...toReceiver(row), dueIn: waitUntil(row.due_at, row.late, now) }))
  return { now, receivers }
}

function waitUntil(first: number, last: number, now: number): number {
  return last > now + FURTHEST_MS ? 0 : Math.max(0, first - now)
}

/** Sends one delivery and records how it went. Returns whether the receiver took it. */
async function deliver(ledger: Ledger, receiver: Receiver, delivery: Claimed): Promise<boolean> {
  const { delivery_id, event, body } = delivery
  const facts = await deliverOnce(ledger, receiver, { event, deliveryId: delivery_id, payload: body })
  const status = await recordAttempt(ledger, delivery, facts)
  if (facts.problem === null) return true
  ledger.log(
    'warn',
    status === 'failed' ? 'webhook delivery given up' : 'webhook delivery failed, and is tried again',
    {
      webhook_id: delivery.webhook_id,
      delivery_id,
      event,
      attempt: delivery.attempts + 1,
      problem: facts.problem,
    },
  )
  return false
}
