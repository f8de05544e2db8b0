import { HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import { type Evaluation, judgeReading, withMissingEvidence } from '../../../src/ledger/assess/evaluation.ts'
import type { Side, SideQuery, Sides } from '../../../src/ledger/assess/sides.ts'
import { unitOf } from '../../../src/ledger/assess/clusters.ts'
import { NO_FILTERS } from '../../../src/ledger/events/rollups.ts'
import type { Policy, PolicyVerdict } from '../../../src/models/documents/policy.ts'
import type { PricingEntry } from '../../../src/models/documents/pricing.ts'
import { sideMetrics } from '../../../src/rules/cost.ts'
import { comingPerHour } from '../../../src/rules/missing_evidence.ts'
import { sumsByVariant } from '../../../src/rules/rollup.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import type { Window } from '../../../src/rules/window.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { measure as segments } from '../../../src/features/segments/measure.ts'
import { SEGMENT_KINDS, bySegment, gathered } from '../../../src/features/segments/rules_segments.ts'
import { sharedTenants } from '../../../src/features/segments/rules_shared.ts'
import { readSums } from '../read_sums.ts'
import { type Runs, SIDES, type SideName } from './runs.ts'
import { type Blocks, blocksOfCut, blocksOfWindow, planOf } from './plan.ts'
import { VARIANT, aggregatesOf, clustersOf, segmentsOf } from './sums.ts'

/** The question about two releases. */
export interface Question {
  readonly policy: Partial<Policy>
  readonly window: Window
  /** Whether the candidate is the release to go back to. */
  readonly isRollback?: boolean | undefined
}

/** What the program says of two releases. */
export interface Answer extends Evaluation {
  /** With what is missing. */
  readonly policy_verdict: PolicyVerdict
}

export const PRICE: PricingEntry = {
  model: VARIANT.model,
  input_usd_per_1k_tokens: 0.01,
  output_usd_per_1k_tokens: 0.02,
  cached_input_usd_per_1k_tokens: null,
}
export const RATES = new Map([[PRICE.model, PRICE]])
const WORKSPACE = workspaceConfig({})

/** Asks the rules that are shipped, as a diff and a decision do, of sums as the rollups have them. */
export async function answerOf(runs: Record<SideName, Runs>, question: Question): Promise<Answer> {
  const { window, isRollback = false } = question
  const policy: Policy = { ...DEFAULT_POLICY, ...question.policy }
  const plan = isRollback || policy.compare_by === 'window' ? undefined : await planOf(runs, window)
  const query: SideQuery = {
    baselineId: 'baseline',
    candidateId: 'candidate',
    environment: 'prod',
    window,
    filters: NO_FILTERS,
    now: window.until,
    cut: plan?.cut,
    hours: plan?.hours,
  }
  const blocks = (side: SideName): Blocks =>
    plan === undefined ? blocksOfWindow(runs[side], window) : blocksOfCut(runs[side], plan.cut)
  const [ofBaseline, ofCandidate] = [blocks('baseline'), blocks('candidate')]
  const sides: Sides = {
    baseline: sideOf('baseline', runs.baseline, ofBaseline),
    candidate: sideOf('candidate', runs.candidate, ofCandidate),
  }
  const by = isRollback ? undefined : unitOf(policy)
  const read = isRollback
    ? undefined
    : segmentsOfSides(runs, query, { baseline: ofBaseline, candidate: ofCandidate })
  const apart = segments.apart?.(read)
  const reading = {
    query,
    plan,
    sides,
    measured: [await segments.measured({} as never, query, sides, read)],
    apart: apart === undefined ? [] : [apart],
    by,
    clusters: by && together(clustersOf(runs.baseline, ofBaseline), clustersOf(runs.candidate, ofCandidate)),
    fed: { baseline: undefined, candidate: undefined },
    more: undefined,
  }
  const requested = { now: window.until, over_window: isRollback }
  const rates = { baseline: rateOf(runs.baseline, window), candidate: rateOf(runs.candidate, window) }
  const evaluation = judgeReading(WORKSPACE, { policy }, reading, requested)
  return { ...evaluation, policy_verdict: withMissingEvidence(evaluation, reading, rates) }
}

function sideOf(name: SideName, runs: Runs, blocks: Blocks): Side {
  const aggregates = aggregatesOf(runs, blocks)
  const variants = sumsByVariant(aggregates)
  return {
    release: {
      release_id: name,
      agent_id: VARIANT.agent_id,
      version: name === 'baseline' ? '1.0' : '2.0',
      environment: 'prod',
      checksum: '',
      model: VARIANT.model,
      provider: VARIANT.provider,
      pricing_version: 'v1',
    },
    rates: RATES,
    variants,
    aggregates,
    parts: [],
    metrics: sideMetrics(variants, RATES),
    excluded: { models: [], runs: 0, parts: 0 },
    leftOut: undefined,
    droppedRuns: 0,
    timedRuns: runs.n,
  }
}

function together<T>(baseline: T | undefined, candidate: T | undefined) {
  return baseline === undefined || candidate === undefined ? undefined : { baseline, candidate }
}

/** Sums by segment, gathered as the ledger does. */
export function segmentsOfSides(
  runs: Record<SideName, Runs>,
  { hours, window }: Pick<SideQuery, 'hours' | 'window'>,
  blocks: Readonly<Record<SideName, Blocks>>,
) {
  const whole = hours ?? {
    from: Math.ceil(window.since / HOUR_MS),
    to: Math.floor(window.until / HOUR_MS),
  }
  const [baseline, candidate] = SIDES.map(
    side =>
      new Map(SEGMENT_KINDS.map(kind => [kind, readSums(segmentsOf(runs[side], kind, whole, blocks[side]))])),
  )
  const tenants = SIDES.map(side => bySegment(segmentsOf(runs[side], 'tenant', whole, ALL)))
  const shared = sharedTenants(tenants[0]!, tenants[1]!)
  return { hours: whole, ...gathered({ baseline: baseline!, candidate: candidate! }), shared }
}

/** Blocks that leave no run out. */
const ALL: Blocks = { count: 0, of: () => 0 }

function rateOf({ n, ended }: Runs, window: Window): number | null {
  let [first, last] = [Infinity, -Infinity]
  for (let run = 0; run < n; run++) {
    const minute = Math.floor(ended[run]! / MINUTE_MS)
    if (minute < first) first = minute
    if (minute > last) last = minute
  }
  const span = n === 0 ? undefined : { first: first * MINUTE_MS, last: (last + 1) * MINUTE_MS }
  return comingPerHour(n, span, window)
}
