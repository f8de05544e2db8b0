import type { Log } from '../../ledger/world/ledger.ts'

type StopSignal = keyof typeof EXIT_CODES

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** The wish of the user or the system that a command ends. */
export interface Stop {
  /** Aborted when a signal comes. */
  readonly signal: AbortSignal
  /** Resolves with the name of that signal. */
  readonly stopped: Promise<StopSignal>
  /** What a command exits with that a signal ended. */
  exitCode(): number
  /** Leaves signals to Node again, which ends the process. */
  release(): void
}

/** Lets a command end in its own way at the first SIGINT or SIGTERM; the second ends the process at once. */
export function onStop(): Stop {
  const controller = new AbortController()
  const { promise: stopped, resolve } = Promise.withResolvers<StopSignal>()
  let came: StopSignal | undefined
  function stop(name: StopSignal): void {
    if (came !== undefined) process.exit(EXIT_CODES[name])
    came = name
    controller.abort()
    resolve(name)
  }
  listen(stop)
  return {
    signal: controller.signal,
    stopped,
    exitCode: () => EXIT_CODES[came ?? 'SIGINT'],
    release: () => ignore(stop),
  }
}

/** What waits for a signal: one command, or as many as a process runs at once, for which Node has one listener. */
const waiting = new Set<(name: StopSignal) => void>()

/** The signal that came while somebody waited, for a command that another one runs and that begins after it. */
let earlier: StopSignal | undefined

function interrupt(name: StopSignal): void {
  earlier = name
  for (const stop of waiting) stop(name)
}

function listen(stop: (name: StopSignal) => void): void {
  if (waiting.size === 0) {
    earlier = undefined
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  }
  waiting.add(stop)
  if (earlier !== undefined) stop(earlier)
}

function ignore(stop: (name: StopSignal) => void): void {
  waiting.delete(stop)
  if (waiting.size === 0) process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}

/** How long what is under way may take to finish, ms. Kubernetes kills after 30 s. */
export const LONGEST_STOP_MS = 25_000

/**
 * Ends the process where a stop takes too long. Until the function it returns is called nothing is under way that has
 * to be finished, so the first signal ends the process at once: the ledger may be locked or out of reach for minutes.
 */
export function endWithin({ stopped }: Pick<Stop, 'stopped'>, log: Log): () => void {
  let isUp = false
  async function end(): Promise<void> {
    await stopped
    if (!isUp) process.exit(0)
    setTimeout(() => {
      log('error', `requests did not finish within ${LONGEST_STOP_MS / 1000} s; stopped without it`)
      process.exit(1)
    }, LONGEST_STOP_MS).unref()
  }
  void end()
  return function up() {
    isUp = true
  }
}
