import { matches } from '../../base/patterns.ts'
import { similarNames } from '../../base/similar.ts'
import { firstFew } from '../../base/text.ts'
import { HOUR_MS, MINUTE_MS, parseDateOrTimestamp } from '../../base/time.ts'
import { isWithinWeekly, parseWeekly, timeOfWeek } from '../../base/weekly.ts'
import type { Freeze, WorkspaceConfig } from '../../models/documents/workspace.ts'
import { ageMs } from '../window.ts'

/** Where a release must have been live before, and for how long without a break. */
export interface PromotedFrom {
  readonly environment: string
  /** As service.yaml says it, such as 24h. */
  readonly live_for?: string
}

/** How long a release was live in an environment; null where it never was. */
export interface LiveTime {
  /** The longest time without a break, milliseconds. */
  readonly longest_ms: number | null
}

/** What beside the policy decides on a promotion; kept in its evidence. */
export interface Gates {
  readonly promotes_from?: PromotedFrom & LiveTime
  /** The freezes of the environment, whether they hold or not. */
  readonly freeze?: readonly Freeze[]
}

/** Why an environment is refused, where environments are declared and it is none of them. */
export function undeclaredText(
  { environments, default_environment }: Pick<WorkspaceConfig, 'environments' | 'default_environment'>,
  environment: string,
): string | undefined {
  if (environments === undefined || environments.includes(environment)) return undefined
  const [meant] = similarNames(environment, environments, 1)
  const which = environment === default_environment ? ', the default_environment' : ''
  return (
    `Unknown environment: ${environment}${which}. service.yaml declares ${firstFew(environments)}` +
    (meant === undefined ? '.' : `. Did you mean ${meant}?`)
  )
}

/** The one that an environment promotes from, if any. */
export function promotedFrom(
  { promotes_from = {} }: Pick<WorkspaceConfig, 'promotes_from'>,
  environment: string,
): PromotedFrom | undefined {
  const from = Object.hasOwn(promotes_from, environment) ? promotes_from[environment] : undefined
  return typeof from === 'string' ? { environment: from } : from
}

export function freezesOf({ freeze = [] }: Pick<WorkspaceConfig, 'freeze'>, environment: string): Freeze[] {
  return freeze.filter(one => matches(one.environment ?? '*', environment))
}

/** Why a promotion is blocked whatever the policy says; `at` is when it is decided, epoch milliseconds. */
export function gateReasons(
  { promotes_from: from, freeze = [] }: Gates,
  { release_id, environment }: { readonly release_id: string; readonly environment: string },
  at: number,
): string[] {
  return [
    ...(from === undefined || isLiveLongEnough(from) ? [] : [orderText(from, release_id, environment)]),
    ...freeze.filter(one => isFrozen(one, at)).map(one => freezeText(one, environment)),
  ]
}

export function isLiveLongEnough({ longest_ms, live_for }: PromotedFrom & LiveTime): boolean {
  return longest_ms !== null && (live_for === undefined || longest_ms >= ageMs(live_for))
}

function orderText(
  { environment: from, live_for, longest_ms }: PromotedFrom & LiveTime,
  releaseId: string,
  environment: string,
): string {
  const rule =
    live_for === undefined
      ? `${environment} promotes from ${from}`
      : `${environment} promotes what was live in ${from} for ${live_for}`
  const missing =
    longest_ms === null
      ? `${releaseId} was never live there`
      : `${releaseId} was live there for ${liveText(longest_ms)} at a time`
  return `${rule}: ${missing} (promotes_from)`
}

/** Rounded down: what falls short never reads as enough. */
export function liveText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS)
  return minutes < 120 ? `${minutes} min` : `${(Math.floor((10 * ms) / HOUR_MS) / 10).toFixed(1)} h`
}

/** Whether a freeze holds at an instant. */
export function isFrozen({ from, to, time_zone = 'UTC' }: Freeze, at: number): boolean {
  const [start, end] = [parseWeekly(from), parseWeekly(to)]
  if (start !== undefined && end !== undefined) return isWithinWeekly(timeOfWeek(at, time_zone), start, end)
  const [since, until] = [parseDateOrTimestamp(from), parseDateOrTimestamp(to)]
  return since !== undefined && until !== undefined && at >= since.ms && at < until.ms
}

function freezeText(freeze: Freeze, environment: string): string {
  return `${environment} is frozen from ${freezeSpan(freeze)}: ${freeze.reason} (freeze)`
}

export function freezeSpan({ from, to, time_zone }: Freeze): string {
  const zone = time_zone === undefined ? (parseWeekly(from) === undefined ? '' : ' UTC') : ` ${time_zone}`
  return `${from} to ${to}${zone}`
}
