import { MINUTE_MS, isoTime } from '../base/time.ts'

/** What was read of the clocks at one moment. Times are epoch milliseconds. */
export interface ClockReading {
  readonly database: number
  /** The server's clock before and after the database's was read. */
  readonly server: { readonly before: number; readonly after: number }
  /** Only where both are the clock of this machine: what else it is compared with. */
  readonly own?: {
    /** The latest time of what governed changes noted; 0 where there was none. */
    readonly latest: number
    /** By how much it is ahead of where it was at the start of this process and the time since, ms. */
    readonly movedMs: number
  }
}

/** The database's clock, and whether rules may go by it. */
export interface Clock {
  /** Epoch ms. */
  readonly now: number
  /** Why nothing is decided by it, where it is not to be believed. */
  readonly doubt?: string
  /** Both times, where the server's own clock is so far from it that one of them is wrong. */
  readonly apart?: string
  /** What an operator has to look at, also where it stops nothing. */
  readonly warning?: string
}

/** A server warns when its clock is this far from the database's, ms. */
const WARNED_MS = MINUTE_MS
/** And decides nothing that depends on the time when it is this far, ms. */
const MOST_APART_MS = 10 * MINUTE_MS
/** By how much this machine's clock may be set while the service runs, ms. */
const MOST_MOVED_MS = 10 * MINUTE_MS
/** How far clocks are set back as a matter of course, ms. */
const SLEWED_MS = 1000

/** Judges the database's clock by what there is to compare it with. */
export function judgeClock({ database, server, own }: ClockReading): Clock {
  if (own !== undefined) return { now: database, ...judgeOwn(database, own) }
  const apartMs = Math.max(server.before - database, database - server.after)
  if (apartMs <= WARNED_MS) return { now: database }
  const both = `the server's clock says ${isoTime(server.after)} and the database's ${isoTime(database)}: set the wrong one (NTP)`
  return { now: database, warning: both, ...(apartMs > MOST_APART_MS ? { apart: both } : {}) }
}

function judgeOwn(now: number, { latest, movedMs }: NonNullable<ClockReading['own']>): Omit<Clock, 'now'> {
  const says = `this machine's clock says ${isoTime(now)}`
  if (now < latest - SLEWED_MS) {
    return doubted(
      `${says}, but the audit log has an entry of ${isoTime(latest)}: set the clock; if it is right now, and was ` +
        'wrong then, run `svc ledger accept-clock --reason WHY`',
    )
  }
  const minutes = Math.floor(Math.abs(movedMs) / MINUTE_MS)
  if (movedMs < -MOST_MOVED_MS) {
    return doubted(
      `${says}, ${minutes} minutes less than the time since the service was started: set the clock, or restart the ` +
        'service if it is right now',
    )
  }
  if (movedMs <= MOST_MOVED_MS) return {}
  return {
    warning: `${says}, ${minutes} minutes more than the time since the service was started: it was set, or the machine slept`,
  }
}

function doubted(text: string): Omit<Clock, 'now'> {
  return { doubt: text, warning: text }
}
