import { chunkLength, eventJson } from './chunks.ts'
import { ApiError } from './errors.ts'
import type { EventClient } from './event_client.ts'
import type { LoggedEvent, NoDefaults, QueueCounts, QueueOptions, QueueProblem } from './queue_types.ts'
import { checkNumber } from './options.ts'
import { pause } from './transport.ts'
import type { Events, RunEvent } from './types.ts'
import { uuidv7 } from './uuid.ts'

const DEFAULT_MAX_EVENTS = 10_000

/** Most kinds of warnings that are reported: a service has far fewer. */
const MOST_SLIPS = 50

/** Most places that runs are counted of, as one request may say. */
const MOST_LOST = 100

/** Pause after a failed delivery, ms: doubles from the first to the last. */
const BACKOFF_MS = { first: 100, last: 30_000 }

/**
 * Sends run events in the background, in batches, and never makes the program wait or fail. An event is offered until
 * the service has acknowledged it or the queue is full; the service stores each run_id once, so none counts twice.
 */
export class EventQueue<const D extends Partial<RunEvent> = NoDefaults> {
  readonly #client: EventClient
  readonly #options: QueueOptions<D>
  readonly #flushIntervalMs: number
  readonly #closeTimeoutMs: number
  readonly #backlog: Backlog
  readonly #slips = new Set<string>()
  readonly #reported = new Set<QueueProblem['kind']>()
  readonly #leave: () => void
  #inFlight: readonly string[] = []
  #logged = 0
  /** How many were put into the backlog, and up to which of them the delivery under way goes. */
  #kept = 0
  #goal = 0
  #sent = 0
  #dropped = 0
  /** Runs of which there is no event, by place, until a request has said them. */
  #lost = new Map<
    string,
    { readonly release_id: string; readonly environment: string; readonly runs: number }
  >()
  #batchSize: number
  #failures = 0
  #closed = false
  #delivery: Promise<void> | undefined
  #abort: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTimerUrgent = false
  #retryAfterS: number | undefined

  /** Throws ClientError for a bad option. */
  constructor(client: EventClient, options: QueueOptions<D> = {}) {
    this.#client = client
    this.#options = options
    this.#flushIntervalMs = checkNumber('flushIntervalMs', options.flushIntervalMs ?? 1000, 0)
    this.#closeTimeoutMs = checkNumber('closeTimeoutMs', options.closeTimeoutMs ?? 5000, 0)
    this.#backlog = new Backlog(checkNumber('maxEvents', options.maxEvents ?? DEFAULT_MAX_EVENTS, 1))
    this.#batchSize = client.chunkSize
    this.#leave = drainAtExit(this)
  }

  /** How many events wait or are on their way. */
  get queued(): number {
    return this.#backlog.length + this.#inFlight.length
  }

  get counts(): QueueCounts {
    return { logged: this.#logged, sent: this.#sent, dropped: this.#dropped, queued: this.queued }
  }

  /**
   * Takes an event and returns its run_id: the event's own, or a new UUIDv7. The event is read here and now, so it may
   * be changed afterwards. Never throws, and never waits.
   */
  add(event: LoggedEvent<D>): string {
    this.#logged += 1
    let runId = ''
    let run: Partial<RunEvent> = {}
    try {
      runId = event.run_id ?? uuidv7()
      const timestamp = event.timestamp ?? new Date().toISOString()
      run = { ...this.#options.defaults, ...event, run_id: runId, timestamp }
      const json = eventJson(run)
      if (this.#closed) this.#drop(1, 'closed', 'The queue is closed; events are dropped.')
      else this.#keep(json)
    } catch (error) {
      this.countLost(run)
      this.#drop(1, 'refused', `An event can't be written as JSON and was dropped: ${textOf(error)}`, error)
    }
    return runId
  }

  /**
   * Counts a run that had to be left out; the next request with events says how many there were.
   */
  countLost(run: Partial<RunEvent>): void {
    const { release_id, environment } = { ...this.#options.defaults, ...run }
    this.#lose([{ release_id: release_id!, environment: environment!, runs: 1 }])
  }

  #lose(places: NonNullable<Events['dropped']>): void {
    for (const place of places) {
      // The service would refuse the events of that request too.
      if (typeof place.release_id !== 'string' || typeof place.environment !== 'string') continue
      const key = JSON.stringify([place.release_id, place.environment])
      const known = this.#lost.get(key)
      if (known === undefined && this.#lost.size >= MOST_LOST) continue
      this.#lost.set(key, { ...place, runs: place.runs + (known?.runs ?? 0) })
    }
  }

  /** Offers all that waits to the service, once. Never rejects; what could not be delivered still waits. */
  async flush(): Promise<QueueCounts> {
    await this.#deliver()
    return this.counts
  }

  /** Tries for `closeTimeoutMs` to deliver all, and drops the rest. Events that come later are dropped. Never rejects. */
  async close(): Promise<QueueCounts> {
    this.#closed = true
    await this.#drain()
    this.#leave()
    this.#unschedule()
    const left = this.queued
    this.#inFlight = []
    this.#backlog.clear()
    if (left > 0)
      this.#drop(left, 'closed', `${left} events could not be delivered before the queue was closed.`)
    return this.counts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /**
   * Tries for `closeTimeoutMs`, again and again, to deliver all that was logged up to now; what a program that goes on
   * adds meanwhile goes along as far as it does. Never rejects.
   */
  async drain(): Promise<void> {
    await this.#drain()
    if (this.queued === 0) return
    this.#reported.delete('undelivered')
    const message =
      this.queued === 1
        ? '1 run event is not delivered yet; it is lost if the program ends now.'
        : `${this.queued} run events are not delivered yet; they are lost if the program ends now.`
    this.#report('undelivered', this.queued, message)
  }

  async #drain(): Promise<void> {
    const expired = new AbortController()
    const timer = setTimeout(() => {
      expired.abort()
      this.#abort?.abort()
    }, this.#closeTimeoutMs)
    const gaveUp = new Promise<void>(resolve => expired.signal.addEventListener('abort', () => resolve()))
    const goal = this.#kept
    const isLeft = (): boolean => this.queued > this.#kept - goal
    const attempts = async (): Promise<void> => {
      for (let backoffMs = BACKOFF_MS.first; isLeft() && !expired.signal.aborted; backoffMs *= 2) {
        await this.#deliver()
        if (isLeft()) await pause(Math.min(backoffMs, 1000), expired.signal).catch(() => {})
      }
    }
    // Not even a fetch that ignores its signal makes the program wait longer.
    await Promise.race([attempts(), gaveUp])
    clearTimeout(timer)
  }

  #keep(json: string): void {
    this.#kept += 1
    this.#overflow(this.#backlog.push(json, this.#inFlight.length))
    if (this.#delivery !== undefined) return
    const isBatch = this.#backlog.length >= this.#batchSize && this.#failures === 0
    if (this.#timer === undefined || (isBatch && !this.#isTimerUrgent))
      this.#schedule(isBatch ? 0 : this.#delayMs())
  }

  /** Until the next delivery; longer with each that failed. */
  #delayMs(retryAfterS = 0): number {
    if (this.#failures === 0) return this.#flushIntervalMs
    const backoffMs = Math.min(BACKOFF_MS.last, BACKOFF_MS.first * 2 ** this.#failures)
    return Math.max(this.#flushIntervalMs, backoffMs, Math.min(BACKOFF_MS.last, retryAfterS * 1000))
  }

  #schedule(ms: number): void {
    this.#unschedule()
    this.#isTimerUrgent = ms === 0
    const { waitUntil } = this.#options
    if (waitUntil === undefined) {
      this.#timer = setTimeout(() => void this.#deliver(), ms)
      // A program that has nothing else to do need not stay for it: it drains when it ends.
      ;(this.#timer as { unref?: () => void }).unref?.()
      return
    }
    const delivered = new Promise<void>(resolve => {
      this.#timer = setTimeout(() => resolve(this.#deliver()), ms)
    })
    try {
      waitUntil(delivered)
    } catch (error) {
      this.#report('undelivered', this.queued, `waitUntil failed: ${textOf(error)}`, error)
    }
  }

  #unschedule(): void {
    // What `waitUntil` waits for has to come about.
    if (this.#options.waitUntil === undefined) clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One at a time; who asks meanwhile waits for the one under way, which takes along what has come since. */
  #deliver(): Promise<void> {
    this.#unschedule()
    this.#goal = this.#kept
    this.#delivery ??= this.#sendAll().finally(() => {
      this.#delivery = undefined
      if (this.#backlog.length > 0 && !this.#closed) this.#schedule(this.#delayMs(this.#retryAfterS))
    })
    return this.#delivery
  }

  async #sendAll(): Promise<void> {
    // What comes in meanwhile waits for its own batch, so that a slow trickle isn't sent one by one.
    while (this.#backlog.length > this.#kept - this.#goal || this.#backlog.length >= this.#batchSize) {
      const batch = this.#backlog.take(this.#batchSize)
      this.#inFlight = batch
      this.#abort = new AbortController()
      const lost = [...this.#lost.values()]
      this.#lost.clear()
      try {
        const { warnings } = await this.#client.ingestJson(batch, { signal: this.#abort.signal }, lost)
        // A queue that was closed meanwhile has counted them as dropped already.
        if (this.#inFlight !== batch) return
        this.#inFlight = []
        this.#delivered(batch.length)
        if (warnings !== undefined) this.#warn(batch.length, warnings)
      } catch (error) {
        this.#lose(lost)
        if (this.#inFlight !== batch) return
        this.#inFlight = []
        if (!this.#setAside(batch, error)) return
      }
    }
  }

  #delivered(count: number): void {
    this.#sent += count
    this.#failures = 0
    this.#retryAfterS = undefined
    this.#reported.clear()
    this.#batchSize = Math.min(this.#client.chunkSize, this.#batchSize * 2)
  }

  /** Each slip once: the same one is in every event, with other names and counts. */
  #warn(events: number, warnings: readonly string[]): void {
    const fresh = warnings.filter(warning => !this.#slips.has(slipOf(warning)))
    if (fresh.length === 0 || this.#slips.size >= MOST_SLIPS) return
    for (const warning of fresh) this.#slips.add(slipOf(warning))
    this.#report('warned', events, `Run events were stored, but: ${fresh.join('; ')}`)
  }

  /**
   * What becomes of a batch that wasn't taken. One that holds an event the service won't have is offered again in
   * halves, until that event is alone. Returns whether it makes sense to go on at once.
   */
  #setAside(batch: readonly string[], error: unknown): boolean {
    const isRefused = error instanceof ApiError && REFUSED.has(error.status)
    if (isRefused && batch.length === 1) {
      this.#drop(1, 'refused', `The service refuses an event, which was dropped: ${error.message}`, error)
      return true
    }
    if (isRefused) this.#batchSize = Math.ceil(batch.length / 2)
    this.#overflow(this.#backlog.putBack(batch))
    if (isRefused) return true
    this.#failures += 1
    this.#retryAfterS = error instanceof ApiError ? error.retryAfterS : undefined
    this.#report(
      'undelivered',
      batch.length,
      `Run events can't be delivered and wait: ${textOf(error)}`,
      error,
    )
    return false
  }

  #overflow(events: readonly string[]): void {
    if (events.length === 0) return
    for (const json of events) this.countLost(JSON.parse(json) as RunEvent)
    const most = this.#options.maxEvents ?? DEFAULT_MAX_EVENTS
    this.#drop(events.length, 'overflow', `More than ${most} run events wait; the oldest are dropped.`)
  }

  #drop(count: number, kind: QueueProblem['kind'], message: string, cause?: unknown): void {
    this.#dropped += count
    this.#report(kind, count, message, cause)
  }

  #report(kind: QueueProblem['kind'], events: number, message: string, cause?: unknown): void {
    if (this.#reported.has(kind)) return
    this.#reported.add(kind)
    const { onError = warn } = this.#options
    try {
      onError({ kind, message, events, cause })
    } catch {
      // What a listener throws must not reach the program that logs.
    }
  }
}

/** Statuses that say that the events themselves are at fault. */
const REFUSED: ReadonlySet<number> = new Set([400, 413, 422])

/** What a warning says, without names and counts. */
function slipOf(warning: string): string {
  return warning.replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, '')
}

function warn({ message }: QueueProblem): void {
  // oxlint-disable-next-line eslint/no-console -- the only voice of a queue without a listener
  console.warn(`release-governance: ${message}`)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Something that is to be sent before the program ends. */
interface Drainable {
  readonly queued: number
  /** Sends what it can within its own limit; never rejects. */
  drain(): Promise<void>
}

/** What is used of Node's `process`; other runtimes have none, or one without signals. */
interface NodeProcess {
  readonly pid: number
  kill(pid: number, signal: string): void
  on(event: string, listener: () => void): void
  prependListener(event: string, listener: () => void): void
  removeListener(event: string, listener: () => void): void
  listenerCount(event: string): number
}

const open = new Set<Drainable>()
const triedInVain = new WeakSet<Drainable>()

/** Drains at SIGTERM and when the program has nothing left to do. Returns how to undo it. */
function drainAtExit(queue: Drainable): () => void {
  const node = nodeProcess()
  if (node === undefined) return () => {}
  if (open.size === 0) {
    // First in line: a listener of the program that listens once is still counted then.
    node.prependListener('SIGTERM', onTerminate)
    node.on('beforeExit', onBeforeExit)
  }
  open.add(queue)
  return function leave() {
    if (!open.delete(queue) || open.size > 0) return
    node.removeListener('SIGTERM', onTerminate)
    node.removeListener('beforeExit', onBeforeExit)
  }
}

function onTerminate(): void {
  const node = nodeProcess()!
  // From here on a second signal ends the program at once, if the program itself doesn't listen.
  node.removeListener('SIGTERM', onTerminate)
  const programListens = node.listenerCount('SIGTERM') > 0
  void drainAll(node, programListens)
}

async function drainAll(node: NodeProcess, programListens: boolean): Promise<void> {
  await Promise.all([...open].map(queue => queue.drain()))
  // A program that listens decides itself when it ends; for any other the signal now does what it would have done.
  if (!programListens) node.kill(node.pid, 'SIGTERM')
  else if (open.size > 0) node.prependListener('SIGTERM', onTerminate)
}

/** Comes again after each drain, so one that was in vain isn't repeated: the program would never end. */
function onBeforeExit(): void {
  for (const queue of open) {
    if (queue.queued === 0) triedInVain.delete(queue)
    else if (!triedInVain.has(queue)) {
      triedInVain.add(queue)
      void queue.drain()
    }
  }
}

function nodeProcess(): NodeProcess | undefined {
  const { process } = globalThis as { process?: Partial<NodeProcess> }
  const isNode = typeof process?.prependListener === 'function' && typeof process.kill === 'function'
  return isNode ? (process as NodeProcess) : undefined
}

/** Most characters of events that wait, whatever their number: an event may have 256 kB. */
const MAX_CHARS = 64_000_000

/** Events as JSON texts, oldest first, bounded: what is too much is taken from the old end. */
export class Backlog {
  readonly #max: number
  #items: string[] = []
  #start = 0
  #chars = 0

  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#items.length - this.#start
  }

  /** Appends an event and returns those of the oldest that it cost. `reserved` are kept elsewhere and count as well. */
  push(json: string, reserved: number): string[] {
    this.#items.push(json)
    this.#chars += json.length
    return this.#trim(reserved)
  }

  /** Takes the oldest events: up to `most`, and what fits in one request. */
  take(most: number): string[] {
    const end = this.#start + chunkLength(this.#items, this.#start, most)
    const taken = this.#items.slice(this.#start, end)
    this.#forget(taken)
    return taken
  }

  /** Puts events back where they were taken from, and returns those of the oldest that it cost. */
  putBack(events: readonly string[]): string[] {
    this.#items = events.concat(this.#items.slice(this.#start))
    this.#start = 0
    for (const event of events) this.#chars += event.length
    return this.#trim(0)
  }

  clear(): number {
    const { length } = this
    this.#items = []
    this.#start = 0
    this.#chars = 0
    return length
  }

  #trim(reserved: number): string[] {
    const dropped: string[] = []
    while (this.length > 0 && (this.length + reserved > this.#max || this.#chars > MAX_CHARS)) {
      const oldest = this.#items[this.#start]!
      this.#forget([oldest])
      dropped.push(oldest)
    }
    return dropped
  }

  #forget(oldest: readonly string[]): void {
    for (const json of oldest) this.#chars -= json.length
    this.#start += oldest.length
    // Now and then, so that it costs nothing per event.
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start)
      this.#start = 0
    }
  }
}
