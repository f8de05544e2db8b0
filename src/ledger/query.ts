import { badRequest } from '../base/errors.ts'
import { parseTimestamp } from '../base/time.ts'
import { type Window, parseWindow } from '../rules/window.ts'
import type { Ledger } from './ledger.ts'

/** What a read is about, from what was asked for and the moment that it was asked. */
export interface Asked {
  readonly now: number
  readonly environment: string
  /** The window; empty where what was asked for is none, until `refuseWindow` says so. */
  readonly window: Window
  /** Throws 400 for a window that is none. Called late: an unknown release is told first. */
  readonly refuseWindow: () => void
}

export function readAsked(
  { now: clock, workspace }: Pick<Ledger, 'now' | 'workspace'>,
  query: {
    readonly window: string
    readonly environment?: string | null | undefined
    /** Where the window ends, if that is not now; what is later than now is now. */
    readonly until?: string | null | undefined
  },
): Asked {
  const now = clock()
  const until = query.until == null ? now : parseTimestamp(query.until)?.ms
  const parsed =
    until === undefined
      ? `Invalid window end ${JSON.stringify(query.until)}: there is no such date and time.`
      : parseWindow(query.window, Math.min(until, now))
  return {
    now,
    environment: query.environment ?? workspace.default_environment,
    window: typeof parsed === 'string' ? { since: now, until: now } : parsed,
    refuseWindow: () => {
      if (typeof parsed === 'string') throw badRequest(parsed)
    },
  }
}
