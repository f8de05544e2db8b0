import { describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/time.ts'
import type { LimitResult } from '../../../src/models/answers/statistics.ts'
import { timePlan } from '../../../src/rules/common_time.ts'
import { type MeasuredSide, diffStatistics } from '../../../src/rules/diff_statistics.ts'
import { type Aggregate, NO_FAILED, NO_SUMS } from '../../../src/rules/rollup.ts'
import { waivedLimits } from '../../../src/rules/limits.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { type Random, randomOf } from '../../../tools/calibration/traffic.ts'
import { scaled } from '../../support/scale.ts'

const HOURS = 24
const RUNS = 5000
const WINDOW = { since: 0, until: HOURS * HOUR_MS }
const POLICY = {
  ...DEFAULT_POLICY,
  max_cost_increase_pct: 0.1,
  max_latency_increase_pct: 0.1,
  max_error_rate_increase: 0.02,
}

interface Conduct {
  /** Share of runs that fail after a tenth of the time, with a tenth of the tokens. */
  readonly failing: number
  /** How much more the others take than those of the live release, a fraction. */
  readonly rise?: number
}

/** The hours of a release whose runs vary by half of their mean. */
function sideOf({ failing, rise = 0 }: Conduct, random: Random, knowsFailed = true): MeasuredSide {
  const aggregates = Array.from({ length: HOURS }, (_, block): Aggregate => {
    const sums = { ...NO_SUMS, ...NO_FAILED, latency_sum_ms2: 0 }
    const products = [0, 0, 0, 0, 0, 0]
    for (let run = 0; run < RUNS / HOURS; run++) {
      const failed = random.uniform() < failing
      const size = (failed ? 0.1 : 1 + rise) * Math.exp(0.5 * random.normal() - 0.125)
      const [latency, input] = [Math.round(1000 * size), Math.round(1000 * size)]
      sums.runs++
      sums.latency_count++
      sums.latency_sum_ms += latency
      sums.latency_sum_ms2 += latency * latency
      sums.input_tokens += input
      products[0]! += input * input
      if (!failed) continue
      sums.errors++
      if (!knowsFailed) continue
      sums.failed_count++
      sums.failed_latency_count++
      sums.failed_latency_sum_ms += latency
      sums.failed_latency_sum_ms2 += latency * latency
      sums.failed_input_tokens += input
    }
    return { ...sums, agent_id: 'a', provider: 'p', model: 'm', block, token_products: products }
  })
  return { aggregates, rates: new Map([['m', RATE]]) }
}

const RATE = {
  model: 'm',
  input_usd_per_1k_tokens: 0.01,
  output_usd_per_1k_tokens: 0,
  cached_input_usd_per_1k_tokens: null,
}

const counts = Array.from({ length: HOURS }, (_, bucket) => ({ bucket, runs: RUNS / HOURS }))
const plan = timePlan(counts, counts, WINDOW, HOUR_MS)

function compared(
  live: Conduct,
  next: Conduct,
  seed: number,
  knowsFailed = true,
  policy: Partial<typeof DEFAULT_POLICY> = {},
) {
  const random = randomOf(seed, `failing fast ${live.failing} ${next.failing}`)
  return diffStatistics(sideOf(live, random, knowsFailed), sideOf(next, random, knowsFailed), {
    policy: { ...POLICY, ...policy },
    thresholds: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
    sequential: false,
    plan,
    window: WINDOW,
  })
}

const DRAWS = scaled(40, 100)

/** Of so many draws, in how many some limit came out so. */
function share(
  of: (limits: readonly LimitResult[]) => boolean,
  ...sides: readonly [Conduct, Conduct, boolean?]
): number {
  const [live, next, knowsFailed] = sides
  let found = 0
  for (let draw = 0; draw < DRAWS; draw++) if (of(compared(live, next, draw, knowsFailed).limits)) found++
  return found / DRAWS
}

const fails = (limits: readonly LimitResult[]): boolean => limits.some(({ outcome }) => outcome === 'fail')
const costPasses = (limits: readonly LimitResult[]): boolean =>
  limits.some(({ policy_key, outcome }) => policy_key === 'max_cost_increase_pct' && outcome === 'pass')

describe('a release that fails fast', () => {
  test.each([0.15, 0.3, 0.6])('lets a fix pass as what it is: %d of its runs fail', failing => {
    expect(share(fails, { failing }, { failing: 0.02 })).toBeLessThanOrEqual(0.05)
    expect(share(costPasses, { failing }, { failing: 0.02 })).toBeGreaterThanOrEqual(0.9)
    // Over all runs the fix costs and takes more.
    expect(share(fails, { failing }, { failing: 0.02 }, false)).toBeGreaterThanOrEqual(0.5)
  })

  test.each(['block', 'pass', 'estimate'] as const)(
    'failing in every run blocks no fix, whatever %s',
    how => {
      const { limits } = compared({ failing: 1 }, { failing: 0.02 }, 1, true, { on_inconclusive: how })
      expect(limits).toMatchObject([
        { policy_key: 'max_cost_increase_pct', passed: true, inconclusive_because: 'no_success' },
        { policy_key: 'max_latency_increase_pct', passed: true, inconclusive_because: 'no_success' },
        { policy_key: 'max_error_rate_increase', passed: true, outcome: 'pass' },
      ])
      expect(waivedLimits(limits)).toEqual([
        'max_cost_increase_pct passes: the baseline has no successful run to compare with',
        'max_latency_increase_pct passes: the baseline has no successful run to compare with',
      ])
    },
  )

  test('is blocked where it is the candidate that fails in every run, whatever the baseline does', () => {
    for (const failing of [0.02, 1]) {
      const { limits } = compared({ failing }, { failing: 1 }, 1)
      expect(limits.slice(0, 2)).toMatchObject([
        { passed: false, inconclusive_because: 'no_data' },
        { passed: false, inconclusive_because: 'no_data' },
      ])
    }
  })

  test('hides no rise of the cost of the runs that succeed', () => {
    const dearer = { failing: 0.15, rise: 0.2 }
    expect(share(costPasses, { failing: 0.02 }, dearer)).toBeLessThanOrEqual(0.05)
    // Over all runs it mostly passes: in 90 of 100.
    expect(share(costPasses, { failing: 0.02 }, dearer, false)).toBeGreaterThanOrEqual(0.75)
  })

  test('is compared over all runs where sums do not tell failed runs apart, which is said', () => {
    const warned = ({ warnings }: ReturnType<typeof compared>) =>
      warnings.filter(text => /failed ones too/.test(text))
    expect(warned(compared({ failing: 0.1 }, { failing: 0.1 }, 1))).toEqual([])
    expect(warned(compared({ failing: 0.1 }, { failing: 0.1 }, 1, false))).toHaveLength(1)
    expect(warned(compared({ failing: 0 }, { failing: 0 }, 1, false))).toEqual([])
  })

  test('covers the cost per run that succeeded, and of equals calls neither dearer', () => {
    let [covered, claims] = [0, 0]
    const truth = (0.98 + 0.002) / 0.98 / ((0.7 + 0.03) / 0.7) - 1
    for (let draw = 0; draw < 3 * DRAWS; draw++) {
      const { low, high } = compared({ failing: 0.3 }, { failing: 0.02 }, draw).cost_per_run_usd
        .relative_change!
      if (low! <= truth && high! >= truth) covered++
      const equal = compared({ failing: 0.3 }, { failing: 0.3 }, draw).cost_per_run_usd
      if (equal.verdict === 'worse') claims++
    }
    expect(covered / (3 * DRAWS)).toBeGreaterThanOrEqual(0.9)
    expect(claims / (3 * DRAWS)).toBeLessThanOrEqual(0.06)
  })
})
