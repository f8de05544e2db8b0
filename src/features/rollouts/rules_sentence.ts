import { hoursText, lastedText, minuteText, percent, points, shareText, signed } from '../../base/text.ts'
import { HOUR_MS, durationMs } from '../../base/time.ts'
import type { Rollout, RolloutCheck } from './models.ts'
import { stepTakesText } from './rules_steps.ts'

/** What a guard checks, as people call it, and how its changes are written. */
const GUARDED = [
  ['cost_per_run_usd', 'cost', percent],
  ['latency_ms', 'latency', percent],
  ['error_rate', 'errors', points],
] as const

export const isOpen = ({ state }: Pick<Rollout, 'state'>): boolean =>
  state === 'running' || state === 'paused'

/** Who gets another release than the live one while it splits: `50 % of the users get 1.3.0`. */
export function splitText(rollout: Rollout, name: (releaseId: string) => string): string {
  const { by, share, state, hold, hold_until, candidate_release_id, baseline_release_id } = rollout
  return state === 'completed'
    ? `${shareText(hold!.share)} of the ${by}s stay on ${name(baseline_release_id)} until ${minuteText(hold_until!)} UTC`
    : `${shareText(share!)} of the ${by}s get ${name(candidate_release_id)}`
}

/** How long the step that it is at still takes, ms, where that is known. A check that is older than the step tells nothing. */
function stepLeft({ steps, step, last_check: check }: Rollout, now: number): number | undefined {
  const { started_at, for: time } = steps[step]!
  if (check?.step === step && check.holds.some(missing => missing !== stepTakesText(time))) {
    // What a check expected says nothing once that time is over: what was missing then still may be.
    const left = check.ready_at === null ? 0 : Date.parse(check.ready_at) - now
    return left > 0 ? left : undefined
  }
  return started_at === null ? undefined : Math.max(0, Date.parse(started_at) + durationMs(time)! - now)
}

/** `step 3 of 5` */
function stepText({ step, steps }: Rollout): string {
  return `step ${Math.min(step + 1, steps.length)} of ${steps.length}`
}

/** `about 12 min left`, or that it waits for something else than time. */
export function leftText(rollout: Rollout, now: number): string {
  const left = stepLeft(rollout, now)
  return left === undefined ? 'waits' : `${hoursText(left / HOUR_MS).replace('about ', '')} left`
}

/** What is proven to be worse, in words: `latency +33.1 % (at least +20.4 %), limit +20.0 %`. */
function harmText({ metrics }: Pick<RolloutCheck, 'metrics'>): string {
  return GUARDED.flatMap(([metric, name, format]) => {
    const reading = metrics[metric]
    if (reading === undefined || reading.alarm === null) return []
    const { change, low, limit } = reading
    const least = low === null ? '' : ` (at least ${signed(low, format)})`
    const rise = change === null ? 'above a baseline of 0' : signed(change, format)
    return [`${name} ${rise}${least}, limit ${signed(limit, format)}`]
  }).join('; ')
}

/** A rollout in one sentence. `name` says how a release is called; `now` is epoch ms. */
export function rolloutSentence(rollout: Rollout, name: (releaseId: string) => string, now: number): string {
  const { by, agent_id, environment, state, steps, step, hold, hold_until } = rollout
  const [candidate, baseline] = [name(rollout.candidate_release_id), name(rollout.baseline_release_id)]
  const share = shareText(steps[Math.min(step, steps.length - 1)]!.share)
  const where = `of the ${by}s of ${agent_id} in ${environment}`
  const lasted = lastedText((Date.parse(rollout.ended_at ?? '') - Date.parse(rollout.started_at)) / HOUR_MS)
  const because = reasonOf(rollout).replaceAll(/rel_\w+/g, name)
  if (state === 'running') {
    return `${candidate} gets ${share} ${where}, ${stepText(rollout)}; ${nextText(rollout, now)}.`
  }
  if (state === 'paused') {
    return `${candidate} is paused at ${share} ${where}, ${stepText(rollout)}: ${because}. The split stays.`
  }
  if (state === 'completed') {
    const staysSplit = hold !== null && hold_until !== null && Date.parse(hold_until) > now
    const kept = staysSplit
      ? `; ${shareText(hold.share)} stay on ${baseline} until ${minuteText(hold_until)} UTC`
      : ''
    return `${candidate} was promoted for all ${by}s of ${agent_id} in ${environment}, after ${lasted}${kept}.`
  }
  if (state === 'aborted') {
    return `${candidate} was aborted at ${share} ${where}, after ${lasted}: ${because}. All get ${baseline}.`
  }
  return state === 'superseded'
    ? `${candidate} was ${supersededText(rollout)} at ${share} ${where}, after ${lasted}: ${because}.`
    : `${candidate} expired at ${share} ${where}, after ${lasted}: ${because}.`
}

/** Another release takes the place of a candidate, unless somebody makes the candidate itself live. */
function supersededText({ because, candidate_release_id }: Rollout): string {
  if (because?.startsWith(`${candidate_release_id} `) !== true) return 'superseded'
  return because.includes('(rollback, ') ? 'made live by a rollback by hand' : 'promoted by hand'
}

/** What comes next, and about when. */
function nextText(rollout: Rollout, now: number): string {
  const { step, steps, last_check: check } = rollout
  const left = stepLeft(rollout, now)
  if (left === undefined) return `it waits: ${check!.holds.join('; ')}`
  const time = left === 0 ? 'now' : `in ${hoursText(left / HOUR_MS)}`
  return step === steps.length - 1
    ? `the policy decides on its promotion ${time}`
    : `the next step, ${shareText(steps[step + 1]!.share)}, is due ${time}`
}

/** Why it is paused or has ended; by whom, where that was not the rollout itself. */
export function reasonOf({ because, changed_by, state, last_check }: Rollout): string {
  if (state === 'aborted' && changed_by === 'rollout' && last_check !== null) {
    const harm = harmText(last_check)
    if (harm !== '') return harm
  }
  const said = (because ?? '').replace(/^(?:paused|aborted): /, '')
  return changed_by === 'rollout' ? said : `${changed_by}: ${said}`
}
