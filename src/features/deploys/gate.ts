import { badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import { freeReadWarnings } from '../../ledger/assess/evaluation.ts'
import { measurePair, readAhead } from '../../ledger/assess/pair.ts'
import { type CurrentState, readCurrentState } from '../../ledger/assess/current_state.ts'
import { namedFor } from '../../ledger/assess/naming.ts'
import { windowWarnings } from '../../ledger/events/gaps.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { countComparison } from '../../ledger/world/memo.ts'
import { refuseUndeclared } from '../../ledger/world/query.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import { type SegmentNames, changeSentence, withNames } from '../../rules/change_sentence.ts'
import { policyLimits } from '../../rules/limits.ts'
import { firstPromotionText, nothingToCompare } from '../../rules/policy.ts'
import { FIRST_PROMOTION_REASON, resultOf, verdictOf } from '../../rules/result.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { inTime, unabandoned, keepingPlans } from '../../sql/deadline.ts'

export interface GateQuestion {
  readonly agent_id: string
  readonly environment: string
  readonly window: string
  /** The release that wants to pass; the newest one of the agent that was registered for the environment unless given. */
  readonly release_id?: string | undefined
  /** What it is compared with; the promoted release unless given. */
  readonly baseline_release_id?: string | undefined
  /** Whether tenants and tasks are compared as in a diff, also where the policy limits none of them. */
  readonly isDiff?: boolean
}

/**
 * Whether a release may pass, by the policy in force and the runs up to now: a promotion that isn't written. Throws 400
 * for what is unknown, can't be compared, or has no price. Who asks the same while it is worked out shares the next answer.
 */
export async function askGate(ledger: Ledger, question: GateQuestion): Promise<Gate> {
  const { gate, names } = await askByIds(ledger, question)
  return gate.summary === undefined ? gate : { ...gate, summary: withNames(gate.summary, names) }
}

/** The same, with tenants and tasks by their ids. */
export function askByIds(ledger: Ledger, question: GateQuestion): Promise<GateByIds> {
  const { agent_id, environment, window, release_id, baseline_release_id, isDiff = false } = question
  const key = [agent_id, environment, window, release_id, baseline_release_id, isDiff].join('\0')
  const answering = unabandoned({ ...ledger, sql: keepingPlans(ledger.sql) })
  return inTime(
    ledger.memo.gates.ask(key, () => answerGate(answering, question)) as Promise<GateByIds>,
    ledger.sql.options.deadline,
  )
}

/** A gate whose texts name tenants and tasks by their ids, and their names. */
export interface GateByIds {
  readonly gate: Gate
  readonly names: SegmentNames
}

/** A gate that names tenants and tasks in all of its texts: for people, not for reports that are kept. */
export function namedGate({ gate, names }: GateByIds): Gate {
  if (names.length === 0) return gate
  const { reasons, warnings, summary } = gate
  const named = (text: string): string => withNames(text, names)
  return {
    ...gate,
    reasons: reasons.map(named),
    warnings: warnings.map(named),
    ...(summary === undefined ? {} : { summary: named(summary) }),
  }
}

async function answerGate(ledger: Ledger, question: GateQuestion): Promise<GateByIds> {
  const { agent_id, environment } = question
  refuseUndeclared(ledger, environment)
  const now = ledger.now()
  const window = parseWindow(question.window, now)
  if (typeof window === 'string') throw badRequest(window)
  const { isDiff = false } = question
  const ahead = await readAhead(ledger, question, { environment, window, isDiff, now })
  const subject = { ...question, window, action: 'promote', isShown: true } as const
  const current = await readCurrentState(ledger, subject, ahead)
  const { target, baseline, effective, blockedAt } = current
  const evaluated_at = isoTime(now)
  const moment = {
    now,
    window,
    isDiff,
    ahead: ahead && { of: ahead.of, first: current.also },
    blocked: blockedAt(evaluated_at),
    about: {
      agent_id,
      environment,
      release_id: target.release_id,
      version: target.version,
      window: question.window,
      since: isoTime(window.since),
      until: isoTime(window.until),
      limits: policyLimits(effective.policy),
      evaluated_at,
    },
  }
  return baseline === null
    ? { gate: uncompared(ledger, current, moment), names: [] }
    : compared(ledger, { ...current, baseline }, moment)
}

interface Moment {
  readonly now: number
  readonly window: Window
  readonly isDiff: boolean
  readonly ahead: Parameters<typeof measurePair>[3]
  /** Why a promotion is blocked whatever the policy says. */
  readonly blocked: readonly string[]
  readonly about: Pick<
    Gate,
    | 'agent_id'
    | 'environment'
    | 'release_id'
    | 'version'
    | 'window'
    | 'since'
    | 'until'
    | 'limits'
    | 'evaluated_at'
  >
}

/**
 * Without a baseline a release passes as a promotion of it would, but a gate that a pipeline calls for years must not let
 * everything pass because a name in its address is mistyped: only what was registered for this environment passes.
 */
function uncompared(
  { workspace }: Ledger,
  { target: { environment: registered } }: CurrentState,
  { blocked, about }: Moment,
): Gate {
  const { agent_id, environment } = about
  const mayPass = !workspace.strict && registered === environment
  const reasons = mayPass ? [FIRST_PROMOTION_REASON] : [nothingToCompare(agent_id, environment)]
  const isBlocked = blocked.length > 0
  return {
    ...concluded(mayPass && !isBlocked, mayPass && isBlocked ? [...blocked] : [...reasons, ...blocked]),
    warnings: [firstPromotionText(agent_id, environment, { registered, promoted: [] })],
    ...about,
    baseline_release_id: null,
    baseline_version: null,
    confidence: null,
    confidence_reason: null,
    samples: null,
    metrics: null,
    statistics: null,
  }
}

async function compared(
  ledger: Ledger,
  current: CurrentState & { readonly baseline: NonNullable<CurrentState['baseline']> },
  { now, window, isDiff, ahead, blocked, about }: Moment,
): Promise<GateByIds> {
  const { target, baseline, live, effective, warningsAt, answers } = current
  const [baselineId, candidateId] = [baseline.release_id, target.release_id]
  const { environment } = about
  const pair = {
    baselineId,
    candidateId,
    environment,
    window,
    isDiff,
    now,
    labels: LABELS,
    comparisons: countComparison(ledger.memo.comparisons, [
      baselineId,
      candidateId,
      about.window,
      environment,
      null,
      null,
    ]),
    blocked,
  }
  const { sides, evaluation, verdict, window_used } = await measurePair(ledger, effective, pair, ahead)
  const { label, metrics, statistics } = evaluation
  const { missing_evidence } = verdict
  const { cases, names } = await namedFor(ledger, statistics, true)
  const why = live === null ? 'nothing can differ' : `it is live in ${environment} already`
  const same =
    baselineId === candidateId ? [`The release and the one to compare it with are the same: ${why}.`] : []
  const gate: Gate = {
    ...concluded(verdict.passed, verdict.reasons),
    warnings: [
      ...windowWarnings(window_used, window),
      ...(verdict.warnings ?? []),
      ...freeReadWarnings(sides.baseline, 'baseline'),
      ...freeReadWarnings(sides.candidate, 'candidate'),
      ...warningsAt(about.evaluated_at),
      ...same,
    ],
    ...about,
    ...(window_used === undefined ? {} : { window_used }),
    baseline_release_id: baselineId,
    baseline_version: baseline.version,
    ...label,
    samples: {
      baseline_runs: sides.baseline.metrics.runs,
      candidate_runs: sides.candidate.metrics.runs,
    },
    summary: changeSentence(target.version, baseline.version, statistics),
    metrics,
    statistics,
    ...(cases.length === 0 ? {} : { cases: [...cases] }),
    ...(missing_evidence === undefined ? {} : { missing_evidence }),
    ...(await answers()),
  }
  return { gate, names }
}

function concluded(
  passed: boolean,
  reasons: string[],
): Pick<Gate, 'verdict' | 'passed' | 'result' | 'reasons'> {
  const policy = { passed, reasons }
  return { verdict: verdictOf(policy), ...policy, result: resultOf(policy) }
}

const LABELS = { baseline: 'promoted_baseline', candidate: 'candidate' } as const

/** Tells the verdict to who doesn't read the answer; no cache may keep it. */
export function verdictHeaders({ verdict }: Gate): Record<string, string> {
  return { 'x-service-verdict': verdict, 'cache-control': 'no-store' }
}
