import { HOUR_MS } from '../../src/base/time.ts'
import type { SegmentSide } from '../../src/features/segments/rules_compared.ts'
import { segmentRegressions } from '../../src/features/segments/rules_segment_regressions.ts'
import type { Sampling } from './decisions.ts'
import { type Random, randomOf } from './traffic.ts'
import { RATES, segmentsOfSides } from './world/ask.ts'
import { blocksOfWindow } from './world/plan.ts'
import { type Change, type PerSide, SIDES, type Traffic, drawsOf } from './world/runs.ts'
import { UNTIL } from './world/seen.ts'

/** A day in which two releases share tenants and tasks, whose runs vary by 0.8 of their mean. */
export interface SegmentWorld {
  readonly name: string
  readonly runs: PerSide
  /** Weights of the hours of each side; equal ones unless given. */
  readonly hours?: (hour: number) => PerSide
  readonly traffic?: Partial<Traffic>
  readonly change?: Change
}

const DAY = 24
const WINDOW = { since: UNTIL - DAY * HOUR_MS, until: UNTIL }
const NO_CHANGE: Change = { mean: 0, errors: 0 }
/** From 0 on. */
const WORSE = 2

const USUALLY = [20_000, 5000] as const
const quiet = (hour: number): PerSide => {
  const share = 1 + 0.9 * Math.sin((2 * Math.PI * hour) / DAY)
  return [share, share]
}
const last = (hours: number) => (hour: number) => [1, Number(hour >= DAY - hours)] as const
/** Ten points of the first task go to the last. */
const SHIFTED: Partial<Traffic> = {
  mix: (_, task, side) => (side === 'baseline' ? 1 : task === 0 ? 0.75 : task === 3 ? 2 : 1),
}
const BATCH: Partial<Traffic> = { burst: { from: 20, minutes: 20, runs: 1750, side: 'candidate' } }
const BY_TENANT: Partial<Traffic> = {
  mix: (tenant, _, side) => Number((tenant % 3 === 0) === (side === 'candidate')),
}
const MOVING: Partial<Traffic> = {
  mix: (_, task, _side, hour) => (task === 3 ? (2 * hour) / DAY : 1),
  mix_moves: true,
}

/** Releases that are equal, so that no segment may be named. */
export const UNCHANGED: readonly SegmentWorld[] = [
  { name: 'steady', runs: USUALLY },
  { name: 'steady, 200 skewed tenants', runs: [50_000, 50_000], traffic: { tenants: 200 } },
  { name: 'ten points of the tasks shift', runs: USUALLY, traffic: SHIFTED },
  { name: 'the same in the last 8 h', runs: USUALLY, traffic: SHIFTED, hours: last(8) },
  { name: 'a batch of one tenant on one side', runs: [4000, 4000], traffic: BATCH },
  { name: 'the same batch, quiet nights', runs: [4000, 4000], traffic: BATCH, hours: quiet },
  { name: 'the same batch in the last 6 h', runs: [16_000, 4000], traffic: BATCH, hours: last(6) },
  { name: 'canary by tenant', runs: USUALLY, traffic: BY_TENANT },
  { name: 'quiet nights', runs: USUALLY, hours: quiet },
  { name: 'the last 8 h', runs: USUALLY, hours: last(8) },
  {
    name: 'a ramp while the tasks of the day move',
    runs: USUALLY,
    traffic: MOVING,
    hours: hour => [1 - hour / (2 * DAY), hour / DAY],
  },
]

const HUNDRED = {
  runs: [50_000, 50_000],
  traffic: { changed_tenant: WORSE, changes_latency_alone: true },
  change: { mean: 0.2, errors: 0 },
} as const

/** Releases that are worse for one tenant, which is to be named in this share of comparisons at least. */
export const WORSE_FOR_ONE: readonly (SegmentWorld & { readonly least: number })[] = [
  { name: '20 % slower', ...HUNDRED, least: 0.8 },
  { name: 'the same, quiet nights', ...HUNDRED, hours: quiet, least: 0.8 },
  { name: 'the same, the last 8 h', ...HUNDRED, hours: last(8), least: 0.7 },
  {
    name: '1.6 to 20.8 % errors in 547 and 610 runs',
    // Of 8 tenants by the harmonic series, and three tasks and itself: 11 groups.
    runs: [4460, 4970],
    traffic: { changed_tenant: WORSE, tenants: 8, errors: [0.016, 0.016] },
    hours: quiet,
    change: { mean: 0, errors: 0.192 },
    least: 0.9,
  },
]

/** Releases that are as much worse for everybody, whom naming one tenant would accuse. */
export const WORSE_FOR_ALL: SegmentWorld = {
  ...HUNDRED,
  name: '20 % slower for all',
  traffic: { changes_latency_alone: true },
}

/** How often segments are named: any, the tenant that the release is worse for, and others. */
export function segmentsFound(world: SegmentWorld, { reps, seed }: Sampling) {
  const random = randomOf(seed, world.name)
  const draw = drawer(world)
  let [some, right, wrong] = [0, 0, 0]
  for (let rep = 0; rep < reps; rep++) {
    const { found } = segmentRegressions(...draw(random), { min_runs: 50 })!
    const own = found.filter(({ kind, segment }) => kind === 'tenant' && segment === WORSE + 1)
    if (found.length > 0) some += 1
    if (own.some(({ metric }) => worseMetrics(world).includes(metric))) right += 1
    if (found.some(spot => !own.includes(spot) || !worseMetrics(world).includes(spot.metric))) wrong += 1
  }
  return { some: some / reps, right: right / reps, wrong: wrong / reps }
}

/** Where more runs fail, one that succeeds costs more: a tenant of 1.6 and 20.8 % errors pays 24 % more for each. */
function worseMetrics({ change = NO_CHANGE }: SegmentWorld): readonly string[] {
  if (change.errors > 0) return ['error_rate', 'cost_per_run_usd']
  return change.mean > 0 ? ['latency_ms'] : []
}

/** Draws both sides of a world, summed by segment. */
export function drawer({ traffic, runs, hours = () => [1, 1], change = NO_CHANGE }: SegmentWorld) {
  const weights = Array.from({ length: DAY }, (_, hour) => hours(hour))
  const [ofBaseline, ofCandidate] = ([0, 1] as const).map(
    side => runs[side] / weights.reduce((sum, own) => sum + own[side], 0),
  )
  const per_hour = (hour: number): PerSide => {
    const [baseline, candidate] = hours((hour + DAY) % DAY)
    return [ofBaseline! * baseline, ofCandidate! * candidate]
  }
  const draw = drawsOf({ ...USUAL, ...traffic, per_hour }, DAY, UNTIL)
  return function drawn(random: Random): [SegmentSide, SegmentSide] {
    const sides = draw(random, change)
    const [baseline, candidate] = SIDES.map(side => blocksOfWindow(sides[side], WINDOW))
    const question = { window: WINDOW, hours: undefined }
    const summed = segmentsOfSides(sides, question, { baseline: baseline!, candidate: candidate! })
    return [
      { segments: summed.baseline, rates: RATES },
      { segments: summed.candidate, rates: RATES },
    ]
  }
}

const USUAL = { tenants: 30, levels_differ: true, sigma: [0.7, 0.7], errors: [0.02, 0.02] } as const
