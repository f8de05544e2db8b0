import { isIncomplete } from '../../rules/statistics/incomplete.ts'
import { isoTime } from '../../base/time.ts'
import { round12 } from '../../base/numbers.ts'
import { firstFew } from '../../base/text.ts'
import type { RolloutCheck } from './models.ts'
import type { RolloutUnit } from '../../models/names.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { PricingEntry } from '../../models/documents/pricing.ts'
import { mergedPrices } from '../../rules/price_names.ts'
import { FAILED_COUNT_TOO, samplesOf, knowFailed } from '../../rules/diff_statistics.ts'
import { getOrAdd } from '../../rules/statistics/samples.ts'
import { effectiveNumber } from '../../rules/statistics/variances.ts'
import { MANY_WRONG, type Move, nextMove, percent } from './rules_next.ts'
import { absoluteHarmIn } from './rules_absolute.ts'
import { type StepSides, harmOf, readGuard } from './rules_readings.ts'
import { unitsP } from './rules_units.ts'
import { together } from '../../sql/query.ts'
import { readCurrentState } from '../../ledger/assess/current_state.ts'
import { type RawSide, pricedRelease } from '../../ledger/assess/sides.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Leased } from '../../ledger/world/due.ts'
import { promotionRunsOf } from './prepare.ts'
import { parsedOf, planOf, wantingOf } from './rows.ts'
import { type RolloutSums, sumsQuery } from './sums.ts'

/** What a check found. */
export interface CheckResult {
  /** That of the head in the same snapshot: which policy and prices it was judged by. */
  readonly revision: number
  readonly facts: RolloutCheck
  readonly move: Move
  /** The runs of a step by side. */
  readonly sidesOf: (step: number) => StepSides
  /** What is live there now. */
  readonly live: string | null
}

/** Checks a rollout in one snapshot, and says what happens next. Writes nothing. */
export async function checkRollout(ledger: Ledger, { row, now }: Leased): Promise<CheckResult> {
  const environment = String(row.environment)
  const [candidateId, baselineId] = [String(row.candidate_release_id), String(row.baseline_release_id)]
  const parsed = parsedOf(row)
  const { head, clock, live, effective, blockedAt, also } = await readCurrentState(
    ledger,
    {
      action: 'promote',
      release_id: candidateId,
      environment,
      by: wantingOf(row, parsed.startedBy),
      // A clock that is wrong holds the rollout.
      holdsByClock: true,
    },
    {
      query: together({
        sums: sumsQuery(Number(row.seq)),
        baseline: pricedRelease(baselineId),
        candidate: pricedRelease(candidateId),
      }),
    },
  )
  const { policy } = effective
  const { steps } = planOf(parsed)
  const step = Number(row.step)
  const { sidesOf, allOf, problems } = pricedSteps(also, policy, index => steps[index]?.share === 0)
  const splitSteps = steps.flatMap(({ share }, index) => (share > 0 && index <= step ? [index] : []))
  const sides = splitSteps.map(sidesOf)
  const { guard, absolute } = parsed.frozen
  const runsIn = (index: number) => {
    const { started_at, ended_at } = parsed.steps[index]!
    const to = ended_at === null ? now : Date.parse(ended_at)
    return { from: Date.parse(started_at!), to, baseline: sidesOf(index).baseline, candidate: allOf(index) }
  }
  const metrics = readGuard(sides, guard)
  const { counts } = also.sums
  const [runs, wrongRuns, units] = [counts('runs', step), counts('strays', step), counts('units', step)]
  const [all, wrong] = [runs.baseline + runs.candidate, wrongRuns.baseline + wrongRuns.candidate]
  const unitsPs = steps.map(({ share }, index) =>
    share === 0 || index > step ? null : unitsP(counts('units', index), share),
  )
  const move = nextMove({
    state: row.state as 'running' | 'paused',
    steps,
    step,
    step_started_at: Date.parse(parsed.steps[step]!.started_at!),
    ends_at: Number(row.ends_at),
    now,
    clock_problem: clock.apart ?? clock.doubt,
    promotion_runs: promotionRunsOf(policy, ledger.workspace),
    is_live: live?.release_id === baselineId,
    harm: [...harmOf(metrics), ...absoluteHarmIn(splitSteps.map(runsIn), absolute)],
    baseline_runs: runs.baseline,
    candidate_runs: runs.candidate,
    missing_runs: runs.none,
    ahead_runs: runs.ahead,
    wrong_runs: wrong,
    buckets: bucketsOf(sidesOf(step)),
    units_p: unitsPs,
    by: row.unit as RolloutUnit,
    gates: [...blockedAt(isoTime(ledger.now()))],
  })
  const isOnHold = move.kind === 'hold'
  const facts: RolloutCheck = {
    number: Number(row.checks) + 1,
    at: isoTime(now),
    step,
    runs: { baseline: runs.baseline, candidate: runs.candidate },
    units: { baseline: units.baseline, candidate: units.candidate, p: unitsPs[step] ?? null },
    wrong_share: shareOf(wrong, all),
    missing_share: shareOf(runs.none, all + runs.none),
    metrics,
    holds: isOnHold ? [...move.holds] : [],
    ready_at: isOnHold && move.ready_at !== null ? isoTime(move.ready_at) : null,
    problems: [
      ...problems,
      ...(sides.every(({ knowsFailed }) => knowsFailed) ? [] : [FAILED_COUNT_TOO]),
      ...wrongProblems(wrong, all),
    ],
  }
  return {
    revision: head.revision,
    facts,
    move,
    sidesOf,
    live: live?.release_id ?? null,
  }
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : round12(part / whole)
}

function wrongProblems(wrong: number, runs: number): string[] {
  if (wrong <= MANY_WRONG * runs) return []
  return [
    `${percent(wrong, runs)} of the runs used another release than assigned: do all programs follow the split?`,
  ]
}

function bucketsOf({ baseline, candidate }: StepSides): number {
  return Math.min(effectiveNumber(baseline.error_rate), effectiveNumber(candidate.error_rate))
}

type Rates = ReadonlyMap<string, PricingEntry>

interface RolloutState {
  readonly sums: RolloutSums
  readonly baseline: Pick<RawSide, 'pricingJson'>
  readonly candidate: Pick<RawSide, 'pricingJson'>
}

/**
 * The runs of each step by side, with their prices. Runs on the wrong side count where they were assigned, so each side
 * takes the other's prices for models that its own table lacks; where one has none at all, cost is not compared. At 0 %
 * all ran the baseline, at its prices.
 */
function pricedSteps(
  { sums, baseline, candidate }: RolloutState,
  { unpriced }: Policy,
  isBefore: (step: number) => boolean,
): Pick<CheckResult, 'sidesOf'> & {
  /** All runs of the candidate in a step, those that failed among them, as limits on itself take them. */
  readonly allOf: (step: number) => StepSides['candidate']
  readonly problems: string[]
} {
  const [b, c] = [ratesIfAny(baseline.pricingJson), ratesIfAny(candidate.pricingJson)]
  const lacking = [...sums.models].filter(model => !b.has(model) && !c.has(model) && !isIncomplete(model))
  const isPriced = lacking.length === 0 || unpriced === 'exclude'
  const rates = (own: Rates, other: Rates): Rates =>
    isPriced ? mergedPrices([other, own], sums.models) : new Map()
  const side = (which: 'baseline' | 'candidate', step: number) => ({
    ...sums.aggregates(step, which),
    rates: which === 'baseline' || isBefore(step) ? rates(b, c) : rates(c, b),
  })
  const known = new Map<number, StepSides>()
  return {
    sidesOf: step =>
      getOrAdd(known, step, () => {
        const sides = [side('baseline', step), side('candidate', step)] as const
        const knowsFailed = knowFailed(sides)
        const [own, other] = [samplesOf(sides[0], knowsFailed), samplesOf(sides[1], knowsFailed)]
        return { baseline: own, candidate: other, knowsFailed }
      }),
    allOf: step => samplesOf(side('candidate', step), false),
    problems: isPriced ? [] : [`cost is not compared: runs used ${firstFew(lacking)}, which has no price`],
  }
}
