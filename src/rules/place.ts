import { minuteText, shareText } from '../base/text.ts'
import type { BoardEntry } from '../models/answers/board.ts'
import type { LimitResult } from '../models/answers/statistics.ts'
import type { Gate } from '../models/deploys/gate.ts'
import type { PlaceRow } from '../models/answers/place_parts.ts'
import type { PlaceAnswer } from '../models/deploys/place.ts'
import { limitOf } from '../models/limits.ts'
import { CHANGE_LIMITS, FURTHER_LIMITS, SEGMENT_LIMITS, TAIL_RISES, furtherChange } from './limits.ts'
import { isOfValue, limitWriter, valueText } from './limit_words.ts'
import { missingText } from './missing_evidence.ts'
import { POINT_LIMITS } from './policy.ts'
import { reasonWords } from './reason_words.ts'
import type { PolicyRule } from './scope.ts'

/** A release that a place could go on to. */
export type Candidate = NonNullable<PlaceAnswer['candidate']>

/** What a release is proposed by, where it isn't the newest. */
export interface Proposed {
  /** A rollout that is running or paused. */
  readonly rollout: PlaceAnswer['rollout']
  /** A request that waits for a confirmation. */
  readonly request: PlaceAnswer['request']
}

/** The state of a place, as the board has it. */
export type PlaceEntry = Omit<BoardEntry, 'place' | 'concerns'>

/** As much of a gate as the state of a place is made of. */
type ShortGate = Pick<
  Gate,
  | 'result'
  | 'verdict'
  | 'passed'
  | 'reasons'
  | 'summary'
  | 'missing_evidence'
  | 'version'
  | 'baseline_release_id'
  | 'window'
>

/** What an evaluation of a place finds, kept until the next one: tenants and tasks are named by their ids there. */
export interface KeptPlace {
  /** What the policy says of the candidate; null without one, or where nothing could be compared. */
  readonly gate: ShortGate | null
  /** Why nothing could be compared. */
  readonly problem: string | null
  /** Limits that the live release is proven to break, as sentences. */
  readonly broken: readonly string[]
  /** That its runs stopped arriving, as a sentence. */
  readonly silence?: string
  /** That a model answers its runs which it does not declare, as a sentence. */
  readonly other_model?: string
}

/** What is known of a place when its answer is made. */
export interface PlaceFacts extends Proposed, KeptPlace {
  readonly entry: PlaceEntry
  readonly candidate: Candidate | null
  /** What freezes the environment now. */
  readonly freeze: PlaceAnswer['freeze']
  /** The watch that runs on what is live. */
  readonly watch: PlaceAnswer['watch']
}

/**
 * The release that is next in a place: of a rollout, else of a request, else the newest one. Never what is live or was rolled
 * back; `why` says so then.
 */
export function candidateIn(
  { promoted, newest_release: newest }: PlaceEntry,
  { rollout, request }: Proposed,
): { readonly candidate: Candidate | null; readonly why: string } {
  const of = (release_id: string, source: Candidate['source']): Candidate => ({
    release_id,
    version: newest?.release_id === release_id ? newest.version : null,
    registered_at: newest?.release_id === release_id ? newest.created_at : null,
    source,
  })
  if (rollout) return { candidate: of(rollout.candidate_release_id, 'rollout'), why: '' }
  if (request && request.release_id !== promoted?.release_id) {
    return { candidate: of(request.release_id, 'request'), why: '' }
  }
  if (newest === null) return { candidate: null, why: 'no release is registered here' }
  if (newest.release_id === promoted?.release_id)
    return { candidate: null, why: 'the newest release is live' }
  if (newest.rolled_back_at !== undefined) {
    const at = minuteText(newest.rolled_back_at)
    return { candidate: null, why: `the newest release, ${newest.version}, was rolled back at ${at} UTC` }
  }
  return { candidate: of(newest.release_id, 'newest'), why: '' }
}

/** The state of a place, and why, in a sentence. The first state that holds is named. */
export function stateOf(facts: PlaceFacts, why: string): Pick<PlaceAnswer, 'state' | 'headline'> {
  const { entry, candidate, gate, problem, broken, silence, other_model, freeze, rollout, request, watch } =
    facts
  const { promoted, newest_release: newest, environment } = entry
  const live = promoted?.version ?? promoted?.release_id ?? ''
  const next = candidate?.version ?? gate?.version ?? candidate?.release_id ?? ''
  if (broken.length > 0)
    return { state: 'worse', headline: `${live} is live and breaks a limit: ${broken[0]}` }
  if (silence !== undefined) return { state: 'worse', headline: `${live} is live, but ${silence}` }
  if (freeze)
    return { state: 'frozen', headline: `${environment} is frozen until ${freeze.until}: ${freeze.reason}` }
  if (rollout) {
    const { share, state } = rollout
    const paused = state === 'paused' ? ', paused' : ''
    const headline =
      share === null
        ? `${next} is rolled out${paused}`
        : `${next} gets ${shareText(share)} of the traffic${paused}`
    return { state: 'rolling_out', headline }
  }
  if (request) {
    const verdict =
      gate !== null
        ? REQUEST_WORDS[gate.verdict]
        : problem === null
          ? 'which nobody has evaluated yet'
          : 'which nothing can be compared with'
    const headline = `${request.actor} asks to promote ${next}, ${verdict}: ${request.reason}`
    return { state: 'awaiting_approval', headline }
  }
  const isLive = candidate === null && newest?.release_id === promoted?.release_id
  if (newest?.unpriced === true && (candidate !== null || isLive)) {
    const version = isLive ? live : next
    return { state: 'no_price', headline: `${version} has no price table, so its cost can't be compared` }
  }
  if (candidate !== null && problem !== null)
    return { state: 'blocked', headline: `${next} is blocked: ${problem}` }
  if (gate !== null) return gateState(gate, next)
  const but = other_model === undefined ? '' : `, but ${other_model}`
  if (watch)
    return {
      state: 'watched',
      headline: `${live} is live and watched until ${minuteText(watch.ends_at)} UTC${but}`,
    }
  const liveNow = promoted === null ? 'nothing is live' : `${live} is live`
  return { state: 'quiet', headline: but === '' ? `${liveNow}; ${why}` : liveNow + but }
}

/** States that hold whatever is found of the candidate and of what is live. */
const BEFORE_EVALUATION: readonly PlaceAnswer['state'][] = [
  'frozen',
  'rolling_out',
  'awaiting_approval',
  'no_price',
]

/** The same by what is kept of the last evaluation; where there was none, that is said. */
export function shortStateOf(
  facts: Omit<PlaceFacts, keyof KeptPlace>,
  why: string,
  kept: KeptPlace | undefined,
): { readonly state: PlaceAnswer['state'] | null; readonly headline: string } {
  const known = stateOf({ ...facts, ...(kept ?? { gate: null, problem: null, broken: [] }) }, why)
  const { entry, candidate } = facts
  const isNothing = entry.promoted === null && candidate === null
  if (kept !== undefined || isNothing || BEFORE_EVALUATION.includes(known.state)) return known
  const named = candidate ?? entry.promoted!
  return { state: null, headline: `${named.version ?? named.release_id} has not been evaluated here yet` }
}

const REQUEST_WORDS = {
  pass: 'which passes',
  block: 'which is blocked',
  inconclusive: 'which is not decided yet',
} as const

/** The same of what was compared: whether the policy lets `next` pass, and why. */
export function gateState(
  gate: Pick<ShortGate, 'result' | 'reasons' | 'missing_evidence' | 'summary'>,
  next: string,
): Pick<PlaceAnswer, 'state' | 'headline'> {
  const { result, reasons, missing_evidence: missing, summary } = gate
  const [first = '', ...others] = reasons
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  if (result === 'blocked')
    return { state: 'blocked', headline: `${next} is blocked: ${reasonWords(first) ?? first}${more}` }
  if (result === 'not_yet') {
    const wanted = missing === undefined ? first : missingText(missing)
    const words = wanted.slice(0, 1).toLowerCase() + wanted.slice(1)
    return { state: 'needs_runs', headline: `${next} is not decided yet: ${words}` }
  }
  const because = result === 'first' ? first : (summary ?? 'it keeps all limits')
  return { state: 'can_promote', headline: `${next} can be promoted: ${because}` }
}

/** The limits of the policy, each with what was measured, and what would pass; `rules` are overrides that set some of them here. */
export function limitRows(gate: Limited, rules: readonly PolicyRule[]): PlaceRow[] {
  return gate.limits.map(({ policy_key, metric, limit }) => {
    const result = gate.statistics?.limits.find(each => each.policy_key === policy_key)
    const measured = measuredOf(policy_key, gate, result)
    return {
      policy_key,
      metric: result?.metric ?? metric,
      ...measured,
      change: result?.estimate ?? null,
      low: result?.low ?? null,
      high: result?.high ?? null,
      limit,
      limit_from: fromOf(policy_key, rules),
      outcome:
        result === undefined ? pointOutcome(policy_key, limit, measured.now) : OUTCOMES[result.outcome],
      would_pass: wouldPass(policy_key, limit, measured.before),
    }
  })
}

/** What a gate says of its limits, which a diff says too. */
export type Limited = Pick<Gate, 'limits' | 'metrics' | 'statistics'>

const OUTCOMES = { pass: 'pass', fail: 'fail', inconclusive: 'unsure' } as const

/** A limit of the contract on the candidate alone, which is decided by the point. */
const pointLimit = (key: string) => POINT_LIMITS.find(each => each.key === key)

function pointOutcome(key: string, limit: number, now: number | null): PlaceRow['outcome'] {
  if (now === null || pointLimit(key) === undefined) return 'unsure'
  return now <= limit ? 'pass' : 'fail'
}

/** What was measured before and now, of the runs that were compared. */
function measuredOf(
  key: string,
  { metrics, statistics }: Limited,
  result: LimitResult | undefined,
): Pick<PlaceRow, 'before' | 'now'> {
  const point = pointLimit(key)
  if (point !== undefined) {
    // Without runs the mean is 0, and says nothing.
    const { baseline_runs: before, candidate_runs: now } = statistics?.error_rate ?? {}
    return {
      before: before === 0 ? null : (metrics?.[`baseline_${point.of}`] ?? null),
      now: now === 0 ? null : (metrics?.[`candidate_${point.of}`] ?? null),
    }
  }
  const change = CHANGE_LIMITS.find(each => each.key === key)
  const further = FURTHER_LIMITS.find(each => each.key === key)
  const compared =
    statistics === null
      ? undefined
      : change === undefined
        ? further && furtherChange(further.metric, statistics)
        : statistics[change.metric]
  if (compared !== undefined) {
    const { matched, baseline_mean, candidate_mean } = compared
    return matched
      ? { before: matched.baseline_mean, now: matched.candidate_mean }
      : { before: baseline_mean, now: candidate_mean }
  }
  const tail = TAIL_RISES.find(each => each.key === key)
  if (tail !== undefined) {
    const { baseline, candidate } = statistics?.[`${tail.time}_percentiles`]?.[tail.percentile] ?? {}
    return { before: baseline?.estimate ?? null, now: candidate?.estimate ?? null }
  }
  const segment = SEGMENT_LIMITS.find(each => each.key === key)
  if (segment !== undefined) {
    const found = statistics?.segment_regressions
    const spot = [...(found?.found ?? []), ...(found?.with_the_whole ?? [])].find(
      ({ metric, kind, segment: id }) => result?.metric === `${metric} of ${kind} ${id}`,
    )
    return { before: spot?.baseline_mean ?? null, now: spot?.candidate_mean ?? null }
  }
  return { before: null, now: result?.estimate ?? null }
}

/** Where a key was set: in the policy itself, or in the override of this place. */
function fromOf(policyKey: string, rules: readonly PolicyRule[]): string {
  const [key] = policyKey.split('.', 1)
  const rule = rules.find(({ keys }) => keys.includes(key!))
  return rule === undefined ? 'policy' : `overrides[${rule.override}]`
}

/** What a value has to be so that the limit is kept; null where that can't be said. */
function wouldPass(key: string, limit: number, before: number | null): string | null {
  const text = valueText(key.replace('_segment', ''))
  if (text === undefined) return null
  if (isOfValue(key)) return `up to ${text(limit)}`
  if (key.startsWith('min_scores.')) return `${text(limit)} or more`
  if (before === null) return null
  return `up to ${text(limitOf(key)?.unit === 'points' ? before + limit : before * (1 + limit))}`
}

/** Whether a limit on segments passes because none is proven to be worse: then no segment is named. */
export function passesUnproven({ policy_key, outcome }: Pick<PlaceRow, 'policy_key' | 'outcome'>): boolean {
  return outcome === 'pass' && limitOf(policy_key)?.on === 'segment'
}

/** A limit with what was found of it: `+79.1 % (+72.0 % to +86.2 %), limit +30.0 %; up to 1127 ms passes`. */
export function rowText({
  policy_key,
  now,
  change,
  low,
  high,
  limit,
  outcome,
  would_pass,
}: PlaceRow): string {
  const write = limitWriter(policy_key)
  const value = change ?? now
  const between = low === null || high === null ? '' : ` (${write(low)} to ${write(high)})`
  const nothing = passesUnproven({ policy_key, outcome }) ? 'no rise is proven' : 'not measured'
  const found = value === null ? nothing : `${write(value)}${between}`
  return `${found}, limit ${write(limit)}${would_pass === null ? '' : `; ${would_pass} passes`}`
}

/** Names of states, as people read them. */
export const STATE_WORDS: Readonly<Record<PlaceAnswer['state'], string>> = {
  worse: 'worse',
  frozen: 'frozen',
  rolling_out: 'rolling out',
  awaiting_approval: 'awaiting approval',
  no_price: 'no price',
  blocked: 'blocked',
  needs_runs: 'needs runs',
  can_promote: 'can be promoted',
  watched: 'watched',
  quiet: 'quiet',
}
