import type { RunEvent } from './types.ts'

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- none of the fields of an event
export type NoDefaults = Readonly<Record<never, never>>

export interface QueueOptions<D extends Partial<RunEvent> = NoDefaults> {
  /** Fields that every event has unless it brings its own. */
  readonly defaults?: D
  /** Most events that wait; beyond it the oldest are dropped. Default 10000. */
  readonly maxEvents?: number
  /** Longest time an event waits for others to be sent with, ms. Default 1000. */
  readonly flushIntervalMs?: number
  /** How long `close` and the end of the program may take to deliver what is left, ms. Default 5000. */
  readonly closeTimeoutMs?: number
  /** Called once per kind of problem until a delivery succeeds again. Default: a line on `console.warn`. */
  readonly onError?: (problem: QueueProblem) => void
  /** Workers: `promise => ctx.waitUntil(promise)`, so that events outlive the answer. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/**
 * `undelivered`: the service can't be reached or says no; the events wait, and are offered again.
 * `overflow`: more wait than may; the oldest were dropped. `refused`: the service or JSON won't take an event; it was
 * dropped. `closed`: the queue was closed before it could deliver all, or an event came after; they were dropped.
 * `warned`: the service stored the events but warns of them; reported once.
 */
export interface QueueProblem {
  readonly kind: 'undelivered' | 'overflow' | 'refused' | 'closed' | 'warned'
  readonly message: string
  /** How many events it is about. */
  readonly events: number
  readonly cause: unknown
}

/** At any moment sent + dropped + queued = logged. */
export interface QueueCounts {
  readonly logged: number
  /** Acknowledged by the service. */
  readonly sent: number
  readonly dropped: number
  /** Waiting, or on their way. */
  readonly queued: number
}

/** An event as it is logged: run_id, timestamp and what the defaults say may be left out. */
export type LoggedEvent<D> = Omit<RunEvent, OptionalField<D>> & Partial<Pick<RunEvent, OptionalField<D>>>
type OptionalField<D> = keyof RunEvent & ('run_id' | 'timestamp' | keyof D)
