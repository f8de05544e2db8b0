import { shareText } from '../../base/text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, durationMs } from '../../base/time.ts'

/** The states of a rollout. All but running and paused are final. */
export const ROLLOUT_STATES = ['running', 'paused', 'completed', 'aborted', 'superseded', 'expired'] as const

/** A step of a rollout: a share of the units, and the least time that it takes. */
export interface Step {
  readonly share: number
  /** As it was given, such as 24h. */
  readonly for: string
  readonly lasts_ms: number
}

/**
 * A day at 0 % measures how the arms differ before anything changes; a day at 50 % decides, because an effect differs by
 * the hour.
 */
export const DEFAULT_STEPS = '0%:24h,1%:1h,5%:1h,25%:6h,50%:24h'
export const DEFAULT_MAX_DURATION = '5d'

const MOST_STEPS = 20
export const LONGEST_MS = 30 * DAY_MS

/**
 * From a change of the split on, events don't count for so long: programs may use the one before for as long as their
 * lease lasts. A run that began before, or in this time, counts nowhere.
 */
export const SETTLE_MS = 2 * MINUTE_MS

/** For how long a split may be used from its receipt on, seconds. */
export const LEASE_S = 60

/** Reads steps such as `0%:24h,1%:1h`; or says what is wrong with them. */
export function parseSteps(text: string): readonly Step[] | string {
  const parts = text.split(',').map(part => part.trim())
  if (text.trim() === '') return 'steps must name at least one share, such as 5%:1h,50%:24h'
  if (parts.length > MOST_STEPS) return `steps must be at most ${MOST_STEPS}`
  const steps: Step[] = []
  for (const part of parts) {
    const step = parseStep(part)
    if (typeof step === 'string') return step
    const before = steps.at(-1)
    if (before !== undefined && step.share <= before.share) {
      return `steps must rise: ${part} comes after ${shareText(before.share)}`
    }
    steps.push(step)
  }
  if (steps.every(({ share }) => share === 0)) return 'steps must name a share above 0 %, such as 50%:24h'
  return steps
}

function parseStep(part: string): Step | string {
  const [, percent, time] = /^(\d{1,3}(?:\.\d{1,2})?)\s*%\s*:\s*(\S+)$/.exec(part) ?? []
  if (percent === undefined || time === undefined) {
    return `a step is SHARE%:TIME, such as 5%:1h; ${JSON.stringify(part)} is not a step`
  }
  const lasts_ms = durationMs(time)
  if (lasts_ms === undefined || lasts_ms > LONGEST_MS) {
    return `the time of a step is a number and m, h or d, from 1m to 30d, such as 1h; ${JSON.stringify(part)} has another`
  }
  const share = Number(percent) / 100
  return share >= 1
    ? `a share must be below 100 %: ${part}; completion is the last step`
    : { share, for: time, lasts_ms }
}

/** What stays on the old release after completion. */
export interface Hold {
  readonly share: number
  readonly for: string
  readonly lasts_ms: number
}

/** Reads a hold such as `5%` for `7d`; or says what is wrong with it. */
export function parseHold(share: string | undefined, time: string | undefined): Hold | undefined | string {
  if (share === undefined && time === undefined) return undefined
  if (share === undefined || time === undefined) return 'hold and hold_for go together, such as 5% and 7d'
  const step = parseStep(`${share}:${time}`)
  if (typeof step === 'string') return `hold: ${step}`
  return step.share === 0 || step.share > 0.5 ? 'hold must be above 0 % and at most 50 %' : step
}

/** From this share on a step takes so many candidate runs; below it, it is there to see harm early. */
const MEASURING_SHARE = 0.25
const LEAST_STEP_RUNS = 200

/** Fewest candidate runs of a step; the last one takes as many as the policy asks of a promotion. */
export function leastRuns(
  steps: readonly Pick<Step, 'share'>[],
  index: number,
  promotionRuns: number,
): number {
  const { share } = steps[index]!
  if (index === steps.length - 1) return Math.max(LEAST_STEP_RUNS, promotionRuns)
  return share >= MEASURING_SHARE ? LEAST_STEP_RUNS : 0
}

/** How long each step takes at so many runs per hour, hours; infinite where nothing runs. */
export function expectedHours(
  steps: readonly Step[],
  runsPerHour: number,
  promotionRuns: number,
): readonly number[] {
  return steps.map(({ share, lasts_ms }, index) => {
    const needed = leastRuns(steps, index, promotionRuns)
    const filling = needed === 0 ? 0 : needed / (Math.min(share, 1 - share) * runsPerHour)
    return Math.max(lasts_ms / HOUR_MS, filling + SETTLE_MS / HOUR_MS)
  })
}

/** What a step lacks whose time is not over. */
export const stepTakesText = (time: string): string => `the step takes ${time}`
