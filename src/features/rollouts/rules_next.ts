import { LEAST_BUCKETS } from '../../rules/statistics/arms.ts'
import { shareText } from '../../base/text.ts'
import { SETTLE_MS, type Step, leastRuns, stepTakesText } from './rules_steps.ts'
import { BROKEN_P } from './rules_units.ts'

/** The state of a rollout at a check. Times are epoch ms, by the database's clock. */
export interface CurrentState {
  readonly state: 'running' | 'paused'
  readonly steps: readonly Step[]
  /** The step that it is at. */
  readonly step: number
  readonly step_started_at: number
  readonly ends_at: number
  readonly now: number
  /** What is wrong with the clock; undefined where nothing is. */
  readonly clock_problem: string | undefined
  /** Runs that the policy asks of a side before it promotes. */
  readonly promotion_runs: number
  /** What is live there; a rollout from another release has ended. */
  readonly is_live: boolean
  /** What the guard has proven. */
  readonly harm: readonly string[]
  /** Runs of the step by side, and those that count on none because they carry no unit. */
  readonly baseline_runs: number
  readonly candidate_runs: number
  readonly missing_runs: number
  /** Those that are dated ahead of the clock. */
  readonly ahead_runs: number
  /** Of the runs of both sides, those that another release did than that of their side. */
  readonly wrong_runs: number
  /** Effective number of buckets of the side that has fewer. */
  readonly buckets: number
  /** By step, how likely its split of units is by chance. */
  readonly units_p: readonly (number | null)[]
  readonly by: 'session' | 'tenant' | 'user'
  /** Why a promotion would be blocked now whatever the policy says: freezes, the order of environments. */
  readonly gates: readonly string[]
}

/** What a check comes to. */
export type Move =
  | { readonly kind: 'advance' | 'complete' | 'supersede' }
  | { readonly kind: 'abort' | 'pause' | 'expire'; readonly because: string }
  | {
      readonly kind: 'hold'
      readonly holds: readonly string[]
      /** About when the next step is due, epoch ms; null where that is unknown. */
      readonly ready_at: number | null
    }

/** Above it a step waits: what is known of the others says little of all. */
const MOST_MISSING = 0.05
/** Above these shares of runs on the wrong side it is reported, and nothing is concluded. */
export const MANY_WRONG = 0.01
const MOST_WRONG = 0.05

/** What happens next. Proven harm aborts at any time; all else waits for a clock that is right. */
export function nextMove(current: CurrentState): Move {
  const { state, now, ends_at, harm, clock_problem, units_p, steps, step } = current
  if (!current.is_live) return { kind: 'supersede' }
  if (harm.length > 0) return { kind: 'abort', because: harm.join('; ') }
  if (clock_problem !== undefined) return { kind: 'hold', holds: [clock_problem], ready_at: null }
  if (now >= ends_at) {
    const { holds } = holdsOf(current)
    const missing = state === 'paused' ? 'it was paused' : holds.join('; ')
    const because = `its time has ended at ${shareText(steps[step]!.share)}${missing === '' ? '' : `: ${missing}`}`
    return { kind: 'expire', because }
  }
  if (state === 'paused') return { kind: 'hold', holds: [], ready_at: null }
  const broken = units_p.findIndex(p => p !== null && p < BROKEN_P)
  if (broken !== -1) return { kind: 'pause', because: brokenText(steps[broken]!.share, units_p[broken]!) }
  const { holds, ready_at } = holdsOf(current)
  if (holds.length > 0) return { kind: 'hold', holds, ready_at }
  return { kind: step === steps.length - 1 ? 'complete' : 'advance' }
}

function brokenText(share: number, p: number): string {
  return (
    `assignment is broken: units split as unlike ${shareText(share)} as they do with p = ${p.toExponential(1)}; ` +
    'events of one release are lost or not sent (not_comparable)'
  )
}

/** What is missing for the next step, and about when it isn't any more. */
function holdsOf(current: CurrentState): {
  readonly holds: readonly string[]
  readonly ready_at: number | null
} {
  const { steps, step, now, step_started_at, candidate_runs, baseline_runs } = current
  const { missing_runs, ahead_runs, wrong_runs } = current
  const { lasts_ms, for: time } = steps[step]!
  const isLast = step === steps.length - 1
  const holds: string[] = []
  const [elapsed, timeLeft] = [now - step_started_at, step_started_at + lasts_ms - now]
  let readyIn: number | null = Math.max(0, timeLeft)
  if (timeLeft > 0) holds.push(stepTakesText(time))
  const needed = leastRuns(steps, step, current.promotion_runs)
  const fewest = isLast ? Math.min(candidate_runs, baseline_runs) : candidate_runs
  if (fewest < needed) {
    holds.push(`${fewest} of ${needed} runs${isLast ? ' of each side' : ' of the candidate'}`)
    const rate = fewest / Math.max(1, elapsed - SETTLE_MS)
    readyIn = rate > 0 ? Math.max(readyIn, (needed - fewest) / rate) : null
  }
  const runs = candidate_runs + baseline_runs
  if (isLast && current.buckets < LEAST_BUCKETS) {
    const units = current.buckets.toFixed(1)
    holds.push(`runs of ${units} of ${LEAST_BUCKETS} ${current.by}s' worth on a side`)
    readyIn = null
  }
  const shares: readonly [part: number, of: number, most: number, before: string, what: string][] = [
    [missing_runs, runs + missing_runs, MOST_MISSING, '', `have no ${UNIT_FIELDS[current.by]}`],
    [ahead_runs, runs + ahead_runs, MOST_MISSING, '', "are dated ahead of the clock and don't count"],
    [wrong_runs, runs, MOST_WRONG, 'not_comparable: ', 'used another release than assigned'],
  ]
  for (const [part, of, most, before, what] of shares) {
    if (part <= most * of) continue
    holds.push(`${before}${percent(part, of)} of the runs ${what} (at most 5 %)`)
    readyIn = null
  }
  holds.push(...current.gates)
  if (current.gates.length > 0) readyIn = null
  return { holds, ready_at: holds.length === 0 || readyIn === null ? null : Math.ceil(now + readyIn) }
}

/** Where events name the unit. */
const UNIT_FIELDS = {
  session: 'request.session_id',
  tenant: 'tenant_id',
  user: 'assignment.unit',
} as const

export function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`
}
