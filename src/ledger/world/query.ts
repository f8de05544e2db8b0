import { badRequest } from '../../base/errors.ts'
import { parseTimestamp } from '../../base/time.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import type { Ledger } from './ledger.ts'
import { undeclaredText } from '../../rules/scope.ts'

/** The environment and window of a read, resolved from its query. */
export interface ReadQuery {
  readonly now: number
  readonly environment: string
  /** The window; empty if it is invalid, until `refuseWindow` throws. */
  readonly window: Window
  /** Throws 400 if the window is invalid. Called late, so that an unknown release is reported first. */
  readonly refuseWindow: () => void
}

export interface WindowQuery {
  readonly window: string
  /** Where the window ends, if that is not now; what is later than now is now. */
  readonly until?: string | null | undefined
}

/** Throws 400 for an environment that isn't declared, where some are. */
export function readWindowQuery(
  { now, workspace }: Pick<Ledger, 'now' | 'workspace'>,
  query: WindowQuery & { readonly environment?: string | null | undefined },
): ReadQuery {
  const environment = query.environment ?? workspace.default_environment
  refuseUndeclared({ workspace }, environment)
  return { ...readWindow({ now }, query), environment }
}

/** The moment that lies an age such as `90d` before now, epoch ms. Throws 400 for what is no age. */
export function ageBefore(age: string, now: number): number {
  const window = parseWindow(age, now)
  if (typeof window === 'string') throw badRequest(window.replace('Invalid window', 'Invalid age'))
  return window.since
}

/** The same of what is about no environment. */
export function readWindow(
  { now: clock }: Pick<Ledger, 'now'>,
  query: WindowQuery,
): Pick<ReadQuery, 'now' | 'window' | 'refuseWindow'> {
  const now = clock()
  const until = query.until == null ? now : parseTimestamp(query.until)?.ms
  const parsed =
    until === undefined
      ? `Invalid window end ${JSON.stringify(query.until)}: there is no such date and time.`
      : parseWindow(query.window, Math.min(until, now))
  return {
    now,
    window: typeof parsed === 'string' ? { since: now, until: now } : parsed,
    refuseWindow: () => {
      if (typeof parsed === 'string') throw badRequest(parsed)
    },
  }
}

/** Throws 400 for an environment that service.yaml doesn't declare, where it declares some. */
export function refuseUndeclared({ workspace }: Pick<Ledger, 'workspace'>, environment: string): void {
  const problem = undeclaredText(workspace, environment)
  if (problem !== undefined) throw badRequest(problem)
}

/** Reads the time of a filter. Throws 400 if it is invalid. */
export function timeOf(name: string, text: string): number {
  const instant = parseTimestamp(text)
  if (instant === undefined) throw badRequest(`Invalid ${name}: ${text} is not an ISO-8601 date and time.`)
  return instant.ms
}
