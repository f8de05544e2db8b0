import { matches } from '../../base/text.ts'
import { HOUR_MS, MINUTE_MS, parseDateOrTimestamp } from '../../base/time.ts'
import { isWithinWeekly, parseWeekly, timeOfWeek } from '../../base/weekly.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Freeze, WorkspaceConfig } from '../../models/documents/workspace.ts'
import type { DecidedRelease } from '../../rules/judge.ts'
import { ageMs } from '../../rules/window.ts'

/** Where a release must have been live before, and for how long without a break. */
export interface PromotedFrom {
  readonly environment: string
  /** As service.yaml says it, such as 24h. */
  readonly live_for?: string
}

/** How long a release was live in an environment; null where it never was. */
interface LiveTime {
  /** The longest time without a break, milliseconds. */
  readonly longest_ms: number | null
}

/** What decides on a promotion besides the policy; its evidence keeps it under `gates`. */
export interface Conditions {
  readonly promotes_from?: PromotedFrom & LiveTime
  /** The freezes of the environment, in force or not. */
  readonly freeze?: readonly Freeze[]
  /** Only where time decides. Absent in evidence of versions that went by the server's clock: then it is `evaluated_at`. */
  readonly clock?: ConditionClock
}

/** The database's clock when the conditions were judged. */
interface ConditionClock {
  /** ISO-8601. */
  readonly at: string
  /** Why it can't be trusted, where it can't. */
  readonly doubt?: string
}

/** The environment that another one promotes from, if any. */
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

/** Whether one of the conditions depends on the time. */
export function isTimed({ promotes_from: from, freeze = [] }: Conditions): boolean {
  return freeze.length > 0 || from?.live_for !== undefined
}

/**
 * Why a promotion is blocked whatever the policy says. `evaluatedAt`, ISO-8601, is when it was decided, for conditions
 * that don't say it themselves. By a clock that can't be trusted a freeze is in force, and no release was live for long
 * enough.
 */
export function conditionReasons(
  { promotes_from: from, freeze = [], clock }: Conditions,
  { release_id, environment }: DecidedRelease,
  evaluatedAt: string,
): string[] {
  const at = Date.parse(clock?.at ?? evaluatedAt)
  const doubt = clock?.doubt
  return [
    ...(from === undefined || isLiveLongEnough(from, doubt)
      ? []
      : [orderText(from, release_id, environment, doubt)]),
    ...freeze
      .filter(one => doubt !== undefined || isFrozen(one, at))
      .map(one => freezeText(one, environment, doubt)),
  ]
}

function isLiveLongEnough(
  { longest_ms, live_for }: PromotedFrom & LiveTime,
  doubt: string | undefined,
): boolean {
  if (longest_ms === null || live_for === undefined) return longest_ms !== null
  return doubt === undefined && longest_ms >= ageMs(live_for)
}

function orderText(
  { environment: from, live_for, longest_ms }: PromotedFrom & LiveTime,
  releaseId: string,
  environment: string,
  doubt: string | undefined,
): string {
  const rule =
    live_for === undefined
      ? `${environment} promotes from ${from}`
      : `${environment} promotes what was live in ${from} for ${live_for}`
  const missing =
    longest_ms === null
      ? `${releaseId} was never live there`
      : doubt === undefined
        ? `${releaseId} was live there for ${liveText(longest_ms)} at a time`
        : `for how long ${releaseId} was is not known: ${doubt}`
  return `${rule}: ${missing} (promotes_from)`
}

/** Rounded down: what falls short never reads as enough. */
export function liveText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS)
  return minutes < 120 ? `${minutes} min` : `${(Math.floor((10 * ms) / HOUR_MS) / 10).toFixed(1)} h`
}

/** Whether a freeze is in force at an instant. */
export function isFrozen({ from, to, time_zone = 'UTC' }: Freeze, at: number): boolean {
  const [start, end] = [parseWeekly(from), parseWeekly(to)]
  if (start !== undefined && end !== undefined) return isWithinWeekly(timeOfWeek(at, time_zone), start, end)
  const [since, until] = [parseDateOrTimestamp(from), parseDateOrTimestamp(to)]
  return since !== undefined && until !== undefined && at >= since.ms && at < until.ms
}

function freezeText(freeze: Freeze, environment: string, doubt: string | undefined): string {
  const why =
    doubt === undefined ? freeze.reason : `${freeze.reason}; whether it is over is not known: ${doubt}`
  return `${environment} is frozen from ${freezeSpan(freeze)}: ${why} (freeze)`
}

export function freezeSpan({ from, to, time_zone }: Freeze): string {
  const zone = time_zone === undefined ? (parseWeekly(from) === undefined ? '' : ' UTC') : ` ${time_zone}`
  return `${from} to ${to}${zone}`
}

const NO_RUNS = { low: null, high: null, baseline_runs: null, candidate_runs: null } as const

/** How each condition decided on a promotion, in the order of the reasons. */
export function conditionRows(
  conditions: Conditions,
  decided: DecidedRelease,
  evaluatedAt: string,
): ExplainedLimit[] {
  return [...orderRows(conditions, decided, evaluatedAt), ...freezeRows(conditions, decided, evaluatedAt)]
}

function orderRows(conditions: Conditions, decided: DecidedRelease, evaluatedAt: string): ExplainedLimit[] {
  const { freeze: _, ...order } = conditions
  const { promotes_from: from } = order
  if (from === undefined) return []
  const [why = null] = conditionReasons(order, decided, evaluatedAt)
  const passed = why === null
  return [
    {
      ...NO_RUNS,
      policy_key: 'promotes_from',
      metric: `live in ${from.environment}`,
      value: from.longest_ms === null ? 'never' : liveText(from.longest_ms),
      limit: from.live_for ?? 'once',
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    },
  ]
}

function freezeRows(
  { freeze = [], clock }: Conditions,
  decided: DecidedRelease,
  evaluatedAt: string,
): ExplainedLimit[] {
  return freeze.map(one => {
    const alone = { freeze: [one], ...(clock === undefined ? {} : { clock }) }
    const [why = null] = conditionReasons(alone, decided, evaluatedAt)
    const passed = why === null
    return {
      ...NO_RUNS,
      policy_key: 'freeze',
      metric: 'time',
      value: clock?.at ?? evaluatedAt,
      limit: freezeSpan(one),
      verdict: passed ? 'pass' : 'fail',
      passed,
      why,
    }
  })
}
