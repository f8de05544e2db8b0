import { badRequest } from '../../base/errors.ts'
import { isBlank, shareText } from '../../base/text.ts'
import { HOUR_MS, durationMs, isoTime } from '../../base/time.ts'
import type { StartedRollout } from './models.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { RolloutUnit } from '../../models/names.ts'
import { samplesOf } from '../../rules/diff_statistics.ts'
import { resolveThresholds } from '../../rules/evidence.ts'
import { SEGMENT_LIMITS, changeLimits } from '../../rules/limits.ts'
import { absoluteHarm, absoluteLimits, brokenLimits } from './rules_absolute.ts'
import { countedValues, guardLimits } from './rules_readings.ts'
import {
  DEFAULT_MAX_DURATION,
  DEFAULT_STEPS,
  LONGEST_MS,
  expectedHours,
  parseHold,
  parseSteps,
} from './rules_steps.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { type Query, ask, asRow, firstRow, onlyRow, together } from '../../sql/query.ts'
import { fedOf } from '../../ledger/assess/comparison.ts'
import { measurePair } from '../../ledger/assess/pair.ts'
import { type Window, parseWindow } from '../../rules/window.ts'
import { refuseStale } from '../../ledger/assess/assess.ts'
import { pricedRelease, ratesOf } from '../../ledger/assess/sides.ts'
import { readCurrentState } from '../../ledger/assess/current_state.ts'
import type { Actor, Ledger, Wanting } from '../../ledger/world/ledger.ts'
import { OPEN } from './rows.ts'

export interface RolloutInput {
  /** The candidate. */
  readonly release_id: string
  readonly environment: string
  readonly steps?: string | undefined
  readonly by?: RolloutUnit | undefined
  readonly max_duration?: string | undefined
  readonly hold?: string | undefined
  readonly hold_for?: string | undefined
  readonly reason: string
  readonly expected_baseline_release_id?: string | null | undefined
  readonly actor: Actor
  /** Who wants it, where that is not the actor. */
  readonly wanted_by?: Wanting
}

/**
 * A rollout that may begin. `blockedAt` says what keeps a promotion there, freezes say, and `broken` what the candidate is proven
 * to break: both keep a rollout too.
 */
export type Plan = Awaited<ReturnType<typeof prepareRollout>>

/** The rollout that is open in a place. */
export function openStatement(agentId: string, environment: string): Statement {
  return sql`SELECT rollout_id, state FROM rollouts
    WHERE agent_id = ${agentId} AND environment = ${environment} AND ${OPEN}`
}

/**
 * What a rollout would be. Throws 400 for what can't be one, and 412 where something else is live than the caller
 * expects.
 */
export async function prepareRollout(ledger: Ledger, input: RolloutInput) {
  const { workspace } = ledger
  const { release_id, environment, reason, by = 'session', max_duration = DEFAULT_MAX_DURATION } = input
  if (isBlank(reason)) throw badRequest('reason is required to start a rollout')
  const [steps, hold] = [parseSteps(input.steps ?? DEFAULT_STEPS), parseHold(input.hold, input.hold_for)]
  if (typeof steps === 'string') throw badRequest(`Invalid steps: ${steps}.`)
  if (typeof hold === 'string') throw badRequest(`Invalid hold: ${hold}.`)
  if (by === 'tenant' && steps[0]!.share !== 0) {
    throw badRequest(
      'A rollout by tenant must begin with a step at 0 %, such as 0%:24h, which measures how tenants differ.',
    )
  }
  const lasts_ms = durationMs(max_duration)
  if (lasts_ms === undefined || lasts_ms > LONGEST_MS) {
    throw badRequest(
      `Invalid max_duration ${JSON.stringify(max_duration)}: use a number and m, h or d, up to 30d, such as 5d.`,
    )
  }
  const facts = await readFacts(ledger, input)
  const { policy, runs_per_hour, agent_id, baseline_release_id, blockedAt } = facts
  const promotionRuns = promotionRunsOf(policy, workspace)
  const hours = expectedHours(steps, runs_per_hour, promotionRuns)
  const total = hours.reduce((sum, own) => sum + own, 0)
  if (total * HOUR_MS > lasts_ms) {
    const found =
      runs_per_hour === 0
        ? `${agent_id} had no runs in ${environment} in the last 24 h`
        : `at ${runs_per_hour.toFixed(1)} runs an hour the steps take ${total.toFixed(1)} h`
    throw badRequest(
      `This rollout would not complete within ${max_duration}: ${found}. Choose fewer or shorter steps, or a longer --max-duration.`,
    )
  }
  return {
    head: facts.head,
    agent_id,
    environment,
    candidate_release_id: release_id,
    baseline_release_id,
    by,
    steps,
    hold,
    max_duration,
    lasts_ms,
    reason,
    limits: guardLimits(policy),
    absolute: absoluteLimits(policy),
    ...(await measuredSoFar(ledger, facts, input)),
    values: countedValues(policy),
    runs_per_hour,
    hours,
    blockedAt,
  }
}

/** How far back runs count that are there when a rollout begins. */
const BASELINE_WINDOW = '24h'

/** What the runs and evaluations that there are prove of the candidate, and what a promotion would come to. */
async function measuredSoFar(
  ledger: Ledger,
  { baseline_release_id, effective, blockedAt }: RolloutFacts,
  { release_id, environment }: RolloutInput,
) {
  const now = ledger.now()
  const { sides, evaluation, verdict } = await measurePair(ledger, effective, {
    baselineId: baseline_release_id,
    candidateId: release_id,
    environment,
    window: parseWindow(BASELINE_WINDOW, now) as Window,
    now,
    labels: { baseline: 'baseline', candidate: 'candidate' },
    onUnusable: 'exclude',
    blocked: blockedAt(isoTime(now)),
  })
  return {
    broken: [
      ...absoluteHarm([samplesOf(sides.candidate, false)], absoluteLimits(effective.policy)),
      ...brokenLimits(evaluation.statistics.limits, effective.scope?.rules ?? []),
    ],
    gate: verdict,
  }
}

/** Why a rollout may not begin with such a first step; undefined where it may. */
export function firstStepProblem(
  { steps, gate: { passed, reasons } }: Pick<Plan, 'steps' | 'gate'>,
  { rollouts: { max_first_step = DEFAULT_FIRST_STEP } = {} }: Ledger['workspace'],
): string | undefined {
  const { share } = steps.find(step => step.share > 0)!
  if (share <= max_first_step || passed) return undefined
  return `The first step gives ${shareText(share)} of the traffic to the candidate. Above ${shareText(max_first_step)} (rollouts.max_first_step) the gate must pass, and it does not: ${reasons.join('; ')}.`
}

const DEFAULT_FIRST_STEP = 0.5

/** Runs that the policy asks of each side before it promotes. */
export function promotionRunsOf(policy: Policy, { diff }: Ledger['workspace']): number {
  const { min_baseline_runs, min_candidate_runs } = resolveThresholds(policy, diff)
  return policy.require_high_diff_confidence ? Math.max(min_baseline_runs, min_candidate_runs) : 0
}

type RolloutFacts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(ledger: Ledger, input: RolloutInput) {
  const { sql: db } = ledger
  const { release_id, environment } = input
  const { head, target, live, effective, blockedAt, also } = await readCurrentState(
    ledger,
    { action: 'promote', release_id, environment, by: input.wanted_by ?? input.actor },
    { query: together({ priced: pricedRelease(release_id) }) },
  )
  const { agent_id } = target
  refuseStale(input, live, agent_id)
  if (live === null) {
    throw badRequest(
      `Nothing of ${agent_id} is live in ${environment}: a rollout compares with the live release. Promote one first.`,
    )
  }
  const { release_id: baseline_release_id } = live
  if (baseline_release_id === release_id) {
    throw badRequest(`${release_id} is live in ${environment} already.`)
  }
  const fed = await fedOf(ledger)
  const { open, runs, pricedLive, kept } = await ask(
    db,
    together({
      open: firstRow(openStatement(agent_id, environment), asRow),
      runs: runsOfDay(agent_id, environment, db.clock),
      pricedLive: pricedRelease(baseline_release_id),
      kept: fed?.namesOf(environment, [release_id, baseline_release_id]),
    }),
  )
  const [source] = kept ?? []
  if (source !== undefined) {
    throw badRequest(
      `${agent_id} in ${environment} is fed by sums of ${source}: a rollout counts single runs by their sessions or tenants, ` +
        'so it needs releases whose events are sent here.',
    )
  }
  if (open !== undefined) throw badRequest(isOpenText(open, agent_id, environment))
  if (!limitsChange(effective.policy)) {
    throw badRequest(
      "The policy has no limit on a change, so a rollout can't be judged: set max_cost_increase_pct, max_latency_increase_pct or max_error_rate_increase with `svc policy set`.",
    )
  }
  ratesOf({ ...NO_SUMS, ...also.priced }, 'candidate')
  ratesOf({ ...NO_SUMS, ...pricedLive }, 'baseline')
  return {
    head,
    agent_id,
    baseline_release_id,
    blockedAt,
    effective,
    policy: effective.policy,
    runs_per_hour: runs,
  }
}

const NO_SUMS = { variants: [], aggregates: [], parts: [] }

export function isOpenText({ rollout_id, state }: Row, agentId: string, environment: string): string {
  return (
    `${rollout_id} of ${agentId} in ${environment} is ${state}: an agent has one rollout per environment. End it with ` +
    `\`svc release rollout abort ${rollout_id} --reason WHY\`.`
  )
}

function limitsChange(policy: Policy): boolean {
  const isSet = changeLimits(policy).length > 0 || SEGMENT_LIMITS.some(({ key }) => policy[key] != null)
  return isSet || Object.keys(policy.max_score_drop ?? {}).length > 0
}

/** The agent's runs in a place per hour, over the last day. */
function runsOfDay(agentId: string, environment: string, clock: Statement): Query<number> {
  const hour = sql`${clock} / ${raw(String(HOUR_MS))}`
  return onlyRow(
    sql`SELECT coalesce(sum(h.runs), 0) AS runs FROM rollup_hours h
      JOIN scopes s ON s.id = h.scope JOIN releases r ON r.release_id = s.release_id
      WHERE r.agent_id = ${agentId} AND s.environment = ${environment}
        AND h.bucket > ${hour} - 24 AND h.bucket <= ${hour}`,
    row => Number(row.runs) / 24,
  )
}

/** A plan as it is answered. */
export function plannedAnswer(plan: Plan, rolloutId: string | null): StartedRollout {
  const { hold, steps, hours, runs_per_hour } = plan
  return {
    rollout_id: rolloutId,
    agent_id: plan.agent_id,
    environment: plan.environment,
    candidate_release_id: plan.candidate_release_id,
    baseline_release_id: plan.baseline_release_id,
    by: plan.by,
    reason: plan.reason,
    steps: steps.map(({ share, for: time }, index) => ({
      share,
      for: time,
      expected_hours: tenth(hours[index]!),
    })),
    runs_per_hour: tenth(runs_per_hour),
    expected_hours: tenth(hours.reduce((sum, own) => sum + own, 0)),
    max_duration: plan.max_duration,
    hold: hold === undefined ? null : { share: hold.share, for: hold.for },
    limits: { ...plan.limits },
    ...(rolloutId === null ? { dry_run: true as const } : {}),
  }
}

function tenth(value: number): number {
  return Math.round(10 * value) / 10
}
