import { ServiceError, badRequest } from '../../base/errors.ts'
import { isoTime } from '../../base/time.ts'
import type { MissingForHigh, StaleBaseline } from '../../models/answers/decision.ts'
import type { UsedWindow } from '../../models/answers/window_used.ts'
import type { Policy, PolicyVerdict } from '../../models/documents/policy.ts'
import type { Clock } from '../../rules/clock.ts'
import type { MeasuredArms } from '../../rules/diff_statistics.ts'
import { type Evidence, RULES_VERSION, type SideEvidence } from '../../rules/evidence.ts'
import { judge } from '../../rules/judge.ts'
import { firstPromotionText } from '../../rules/policy.ts'
import { pricesOf } from '../../rules/price_names.ts'
import { FORCED_REASON } from '../../rules/result.ts'
import { byModel } from '../../rules/rollup.ts'
import type { OnUnusable } from '../../rules/left_out.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { type Query, allRows, ask, asText, field, together } from '../../sql/query.ts'
import { windowWarnings } from '../events/gaps.ts'
import type { FedSide } from '../events/fed.ts'
import type { ReleaseFacts } from '../registry/release_facts.ts'
import { hasSameRevisions } from '../trail/chain.ts'
import type { Live } from '../trail/pointers.ts'
import { type Actor, type Ledger, type Wanting, partsOf } from '../world/ledger.ts'
import { freeReadWarnings } from './evaluation.ts'
import { type MeasuredPair, measurePair, readAhead } from './pair.ts'
import { missingForHigh } from './reach.ts'
import { type Side, catalogReport } from './sides.ts'
import { type CurrentState, readCurrentState } from './current_state.ts'
import type { Wave } from './waves.ts'
import { wasLive, wayOut } from './way_out.ts'

/** A release to be promoted or rolled back to, and on whose word. */
export interface Proposal {
  readonly action: 'promote' | 'rollback'
  readonly release_id: string
  readonly environment: string
  readonly window: string
  readonly reason: string
  readonly actor: Actor
  /** The release that has to be promoted there, null for none; not checked where it is undefined. */
  readonly expected_baseline_release_id?: string | null | undefined
  /** The same, as whoever requested it said. */
  readonly requested_baseline_release_id?: string | null | undefined
  /** Whether it is known to be the first one of its place. */
  readonly first?: boolean
  /** Goes back to a release that was live there before, whatever the policy says. */
  readonly force?: boolean
  /** Whether to leave out few runs that keep a window from being decided on, or which policies say so. */
  readonly exclude_unusable?: boolean | ((policy: Policy) => boolean)
  /** Who wants it, where that is not the actor: of a confirmation, whoever requested it. */
  readonly wanted_by?: Wanting | undefined
  /** What the arms of a rollout show, where it is one that is completed. */
  readonly arms?: MeasuredArms | undefined
}

/** What the ledger says about a proposal at one point in time. */
export interface Assessment extends CurrentState, Judgement {
  /** What features have read, by their names. */
  readonly parts: Readonly<Record<string, unknown>>
}

interface Judgement {
  readonly verdict: PolicyVerdict
  readonly missing: MissingForHigh | null
  readonly evidence: Evidence
}

/** What is read with an assessment, e.g. that a request is still pending. `check` throws to give up. */
export interface Precondition<R = unknown> {
  readonly query: Query<R>
  readonly check: (read: R, clock: Clock) => void
}

/**
 * Reads the current state and evaluates the policy. `earlier` is reused where nothing governed has changed, and what was
 * measured in a `wave` that the proposal is of.
 */
export async function assess<R>(
  ledger: Ledger,
  proposal: Proposal,
  precondition?: Precondition<R>,
  earlier?: Assessment,
  wave: Wave = { now: ledger.now(), measured: new Map() },
): Promise<Assessment> {
  const features = await partsOf(ledger.features, 'decision')
  const { now } = wave
  const window = windowOf(proposal, now)
  const over_window = proposal.action === 'rollback'
  // What was measured before is likely to hold still.
  const isMeasured = earlier !== undefined || wave.measured.size > 0 || proposal.force === true
  const ahead = isMeasured
    ? undefined
    : await readAhead(ledger, proposal, { environment: proposal.environment, window, now, over_window })
  const by = proposal.wanted_by ?? proposal.actor
  const { also, ...current } = await readCurrentState(
    ledger,
    { ...proposal, window, by },
    {
      query: together({
        parts: together(Object.fromEntries(features.map(({ name, reads }) => [name, reads(proposal)]))),
        before: precondition?.query,
        ahead: ahead?.query,
        wasLive:
          proposal.action === 'rollback' ? wasLive(proposal.release_id, proposal.environment) : undefined,
      }),
      check: ({ before }, clock) => precondition?.check(before as R, clock),
    },
  )
  const { head, clock, live, target, baseline } = current
  const { parts } = also
  refuseStale(proposal, live, target.agent_id)
  const { environment, requested_baseline_release_id: requested } = proposal
  refuseStale({ environment, expected_baseline_release_id: requested }, live, target.agent_id, 'the request')
  if (earlier !== undefined && stillHolds(earlier, current, isoTime(ledger.now()))) {
    return { ...earlier, head, clock, parts }
  }
  const judged = await judgement(
    ledger,
    proposal,
    { ...current, wasLive: also.wasLive },
    wave,
    ahead && { of: ahead.of, first: also.ahead },
  )
  if (baseline?.release_id !== target.release_id) return { ...current, parts, ...judged }
  const goesOn = features.flatMap(({ name, unmoved }) => unmoved?.(parts[name] as never, clock.now) ?? [])
  const warnings = [alreadyLiveText(proposal.environment), ...goesOn]
  return { ...current, parts, ...judged, verdict: warnedOf(judged.verdict, warnings) }
}

/**
 * Whether an assessment is the same at another head: nothing that it reads has changed since, decisions included, which bump
 * no revision. A first promotion is not measured, so it is always assessed again.
 */
function stillHolds(earlier: Assessment, current: CurrentState, at: string): boolean {
  const said = ({ blockedAt, warningsAt }: CurrentState): string =>
    JSON.stringify([blockedAt(at), warningsAt(at)])
  return (
    hasSameRevisions(earlier.head, current.head) &&
    earlier.baseline !== null &&
    earlier.baseline.release_id === current.baseline?.release_id &&
    said(earlier) === said(current)
  )
}

/** Throws 412 where something else is live than the caller expects: the batch is guarded by the same snapshot. */
export function refuseStale(
  {
    environment,
    expected_baseline_release_id: expected,
  }: Pick<Proposal, 'environment' | 'expected_baseline_release_id'>,
  live: Live | null,
  agentId: string,
  who: 'you' | 'the request' = 'you',
): void {
  if (expected === undefined || expected === (live?.release_id ?? null)) return
  const place = `${agentId} in ${environment}`
  const done = live?.action === 'rollback' ? 'rolled back to' : 'promoted'
  const is =
    live === null
      ? `Nothing is live for ${place}`
      : `Live for ${place} is now ${live.version} (${live.release_id}), ${done} by ${live.actor} at ${live.created_at}`
  const then = who === 'you' ? 'decide again' : 'request it again'
  const detail: StaleBaseline['detail'] = {
    message: `${is}; ${who} expected ${expected ?? 'nothing'}. Nothing was recorded: compare with the live release, then ${then}.`,
    expected_baseline_release_id: expected,
    live: live && {
      release_id: live.release_id,
      version: live.version,
      action_id: live.action_id,
      action: live.action,
      actor: live.actor,
      created_at: live.created_at,
    },
  }
  throw new ServiceError(412, detail)
}

const NOTHING_PROMOTED = 'No promoted release exists for this agent/environment; nothing to roll back to'

interface Back {
  /** Whether the release was live in the place before; undefined unless it is rolled back to. */
  readonly wasLive: boolean | undefined
}

/** A proposal at a moment, and what evidence says whatever comes out. */
interface Question {
  readonly proposal: Proposal
  readonly current: CurrentState & Back
  readonly now: number
  readonly window: Window
  readonly blocked: readonly string[]
  readonly evidence: (more?: Partial<Evidence>, used?: UsedWindow) => Evidence
}

/** Throws 400 if the window is invalid. */
function windowOf(proposal: Proposal, now: number): Window {
  const window = parseWindow(proposal.window, now)
  if (typeof window === 'string') throw badRequest(window)
  return window
}

async function judgement(
  ledger: Ledger,
  proposal: Proposal,
  current: CurrentState & Back,
  wave: Wave,
  ahead: Ahead,
): Promise<Judgement> {
  const { now } = wave
  const window = windowOf(proposal, now)
  const { baseline, blockedAt } = current
  const question = {
    proposal,
    current,
    now,
    window,
    blocked: blockedAt(isoTime(now)),
    evidence: evidenceOf(ledger, proposal, current, { now, window }),
  }
  if (proposal.force === true) return forcedRollback(question)
  return baseline === null
    ? firstPromotion(ledger, question)
    : measured(ledger, question, baseline.release_id, wave, ahead)
}

/**
 * Without a baseline there is nothing to compare with (specification, POST /v1/promote, step 2). A mistyped environment
 * looks just like it, so a warning says so; where the workspace is strict it is refused, unless the caller means it.
 */
async function firstPromotion(
  ledger: Ledger,
  { proposal, current: { target, effective }, now, blocked, evidence }: Question,
): Promise<Judgement> {
  const { action, environment, first = false } = proposal
  if (action === 'rollback') throw badRequest(NOTHING_PROMOTED)
  const promoted = await promotedPlaces(ledger.sql, target)
  const { environment: registered } = target
  const text = firstPromotionText(target.agent_id, environment, { registered, promoted })
  const { strict } = ledger.workspace
  if (strict && !first) {
    throw badRequest(`${text} This workspace is strict: pass --first (first: true) if you mean it.`)
  }
  const { passed, result, reasons } = judge({
    policy: effective.policy,
    rules: [],
    strict,
    measured: null,
    blocked,
  })
  // No sign of a slip: it was registered for this place, and its agent is promoted nowhere else.
  const isPlain = registered === environment && promoted.length === 0
  return {
    verdict: {
      passed,
      result,
      reasons,
      evaluated_at: isoTime(now),
      ...(isPlain ? {} : { warnings: [text] }),
    },
    missing: null,
    evidence: evidence(),
  }
}

/** Most environments that are named. */
const MOST_PLACES = 10

function promotedPlaces(db: Sql, { agent_id }: ReleaseFacts): Promise<string[]> {
  const pointers = sql`SELECT environment FROM promoted_pointers WHERE agent_id = ${agent_id}
    ORDER BY environment LIMIT ${MOST_PLACES}`
  return ask(db, allRows(pointers, field('environment', asText)))
}

/** Break glass: back to what was live there before, whatever the policy would say and the runs show. */
function forcedRollback({
  proposal: { environment },
  current: { target, baseline, wasLive: isBack },
  now,
  evidence,
}: Question): Judgement {
  if (baseline === null) throw badRequest(NOTHING_PROMOTED)
  if (isBack !== true) {
    throw badRequest(
      `${target.release_id} was never live in ${environment}: only a release that was live can be forced ` +
        '(`svc release history` lists them).',
    )
  }
  return {
    verdict: { passed: false, result: 'forced', reasons: [FORCED_REASON], evaluated_at: isoTime(now) },
    missing: null,
    evidence: evidence({ forced: true }),
  }
}

const LABELS = {
  promote: { baseline: 'promoted_baseline', candidate: 'candidate' },
  rollback: { baseline: 'promoted_baseline', candidate: 'rollback target' },
} as const

async function measured(
  ledger: Ledger,
  question: Question,
  baselineId: string,
  wave: Wave,
  ahead: Ahead,
): Promise<Judgement> {
  const { proposal, current, now, blocked, evidence } = question
  const { action, environment, window } = proposal
  const { release_id } = current.target
  const excludes = onUnusableOf(proposal, current.effective.policy) === 'exclude'
  const { revision, agent } = current.head
  const place = [revision, agent?.revision, baselineId, release_id, environment]
  const key = JSON.stringify([place, action, window, excludes, blocked])
  // The arms of a rollout are those of its own.
  const known = proposal.arms === undefined ? wave.measured : new Map<string, unknown>()
  const found =
    (known.get(key) as Measured | undefined) ?? (await measure(ledger, question, baselineId, ahead))
  known.set(key, found)
  const { pair, missing, evaluation } = found
  const { window_used } = pair
  const { missing_evidence, ...said } = pair.verdict
  const { baseline, candidate } = pair.sides
  const warnings = [
    ...windowWarnings(window_used, question.window),
    ...freeReadWarnings(baseline, 'baseline'),
    ...freeReadWarnings(candidate, 'candidate'),
    ...(action === 'rollback'
      ? wayOut(ledger.workspace, current.target, environment, baselineId, {
          ...pair.evaluation,
          isBack: current.wasLive === true,
        })
      : comparableAgain(pair.evaluation)),
  ]
  const verdict = {
    ...warnedOf(said, [...warnings, ...current.warningsAt(isoTime(now))]),
    ...(missing_evidence === undefined ? {} : { missing_evidence }),
  }
  return {
    verdict,
    missing,
    evidence: evidence({ ...(excludes ? { exclude_unusable: true } : {}), evaluation }, window_used),
  }
}

type Ahead = Parameters<typeof measurePair>[3]

/** What runs show of two releases, whoever wants to know. */
interface Measured {
  readonly pair: MeasuredPair
  readonly missing: MissingForHigh | null
  readonly evaluation: Evidence['evaluation']
}

async function measure(
  ledger: Ledger,
  { proposal, current: { effective, target }, now, window, blocked }: Question,
  baselineId: string,
  ahead: Ahead,
): Promise<Measured> {
  const { action, environment, arms } = proposal
  const wanted = {
    baselineId,
    candidateId: target.release_id,
    environment,
    window,
    now,
    labels: LABELS[action],
    onUnusable: onUnusableOf(proposal, effective.policy),
    over_window: action === 'rollback',
    arms,
    blocked,
  }
  const pair = await measurePair(ledger, effective, wanted, ahead)
  return {
    pair,
    missing: await missingRuns(ledger.sql, pair, environment, window.until),
    evaluation: await evaluatedEvidence(ledger, pair),
  }
}

/** Where a limit lacks what both sides share: why, and what mends it. */
function comparableAgain({
  statistics: { limits, warnings },
}: MeasuredPair['evaluation']): readonly string[] {
  return limits.some(({ inconclusive_because: doubt }) => doubt === 'not_comparable') ? warnings : []
}

/** A rollback is the way out of trouble, so a few unusable runs may not bar it: it may leave them out, and its error says so. */
function onUnusableOf({ action, exclude_unusable: excluding }: Proposal, policy: Policy): OnUnusable {
  if (action !== 'rollback') return 'refuse'
  const excludes = typeof excluding === 'function' ? excluding(policy) : excluding
  return excludes === true ? 'exclude' : 'offer'
}

function alreadyLiveText(environment: string): string {
  return `This release is already live in ${environment}, so nothing changes.`
}

function warnedOf(verdict: PolicyVerdict, texts: readonly string[]): PolicyVerdict {
  return texts.length === 0 ? verdict : { ...verdict, warnings: [...(verdict.warnings ?? []), ...texts] }
}

/** What is missing, where the policy demands more runs than there are. */
async function missingRuns(
  db: Sql,
  { sides, evaluation: { policy, label, thresholds } }: MeasuredPair,
  environment: string,
  until: number,
): Promise<MissingForHigh | null> {
  if (!policy.require_high_diff_confidence || label.confidence === 'HIGH') return null
  return missingForHigh(db, sides, thresholds, environment, until)
}

/** Evidence of a proposal: what holds of any, and what is added. */
function evidenceOf(
  { workspace }: Ledger,
  proposal: Proposal,
  { effective: { policy, scope }, gates }: CurrentState,
  { now, window }: Pick<Question, 'now' | 'window'>,
): Question['evidence'] {
  return ({ forced, exclude_unusable, evaluation = null } = {}, window_used) => ({
    rules_version: RULES_VERSION,
    window: { text: proposal.window, since: isoTime(window.since), until: isoTime(window.until) },
    ...(window_used === undefined ? {} : { window_used }),
    promotion_requires_approval: workspace.promotion_requires_approval,
    ...(workspace.strict ? { strict: true } : {}),
    ...(forced === undefined ? {} : { forced }),
    ...(exclude_unusable === undefined ? {} : { exclude_unusable }),
    policy,
    ...(scope === undefined ? {} : { policy_scope: scope }),
    ...(gates === undefined ? {} : { gates }),
    evaluated_at: isoTime(now),
    evaluation,
    request: null,
  })
}

async function evaluatedEvidence(
  ledger: Ledger,
  { evaluation, sides, fed }: MeasuredPair,
): Promise<NonNullable<Evidence['evaluation']>> {
  const { thresholds, label, metrics, statistics } = evaluation
  return {
    thresholds,
    workspace_thresholds: ledger.workspace.diff,
    ...label,
    baseline: await sideEvidence(sides.baseline, fed.baseline),
    candidate: await sideEvidence(sides.candidate, fed.candidate),
    metrics,
    statistics,
    catalog: catalogReport(await ledger.catalog(), sides),
  }
}

async function sideEvidence(
  { release, variants, rates, leftOut }: Side,
  fed: FedSide | undefined,
): Promise<SideEvidence> {
  const used = pricesOf(rates, new Set(variants.map(variant => variant.model)))
  return {
    release_id: release.release_id,
    checksum: release.checksum,
    model: release.model,
    provider: release.provider,
    pricing_version: release.pricing_version,
    variants: byModel(variants),
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
    // By the names that runs call them by, so that a decision is explained without the table.
    rates: Array.from(used, ([model, entry]) => {
      const { aliases: _, ...rate } = entry
      return { ...rate, model }
    }),
    ...(fed === undefined || fed.kept.length === 0 ? {} : { sources: await fed.sources() }),
  }
}
