import { describe, expect, test } from 'vitest'
import { sideMetrics } from '../../../src/rules/cost.ts'
import { countedModel, isIncomplete, modelIn } from '../../../src/rules/statistics/incomplete.ts'
import { judge } from '../../../src/rules/judge.ts'
import { incompleteWarnings } from '../../../src/rules/policy.ts'
import { verdictOf } from '../../../src/rules/result.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { variantOf } from '../support/sums.ts'

const INCOMPLETE = countedModel({ usage: { incomplete: true } } as never, 'm1')
const RATES = new Map([
  ['m1', { input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 1, cached_input_usd_per_1k_tokens: 1 }],
])
const THRESHOLDS = { min_candidate_runs: 5, min_baseline_runs: 5, min_low_runs: 5 }

/** A side of 1000 runs that cost 0.01 each, of so many the usage is incomplete, and these failed. */
function side(incomplete: number) {
  return sideMetrics(
    [
      variantOf({ runs: 1000 - incomplete, input_tokens: 10 * (1000 - incomplete) }),
      variantOf({ model: INCOMPLETE, runs: incomplete, errors: incomplete, input_tokens: 3 * incomplete }),
    ],
    RATES,
  )
}

test('a model of runs whose usage is incomplete is known by its name', () => {
  expect(isIncomplete(INCOMPLETE)).toBe(true)
  expect(modelIn(INCOMPLETE)).toBe('m1')
  expect(countedModel({ usage: {} } as never, 'm1')).toBe('m1')
})

test('the cost leaves runs of incomplete usage out, and the error rate counts them', () => {
  const metrics = side(300)
  expect(metrics).toMatchObject({ runs: 1000, error_rate: 0.3, incomplete_runs: 300 })
  expect(metrics.cost_per_run_usd).toBeCloseTo(0.01, 12)
  expect(side(0)).not.toHaveProperty('incomplete_runs')
  expect(incompleteWarnings({ baseline: side(0), candidate: side(300) })).toEqual([
    'candidate: the usage of 300 of 1000 runs (30.0 %) is incomplete: cost and token means leave them out',
  ])
})

describe('limits on cost', () => {
  const judged = (baseline: number, candidate: number, policy: object, isRollback = false) =>
    judge({
      policy: { ...DEFAULT_POLICY, require_high_diff_confidence: false, ...policy },
      rules: [],
      strict: false,
      measured: {
        baseline: side(baseline),
        candidate: side(candidate),
        thresholds: THRESHOLDS,
        limits: [],
      },
      isRollback,
      blocked: [],
    })
  const reason = (which: string, runs: number, share: string): string =>
    `${which}: the usage of ${runs} of 1000 runs (${share} %) is incomplete, more than the 2 % with which limits on ` +
    'cost are decided'
  const [POINT, RISE] = [{ max_cost_per_run_usd: 1 }, { max_cost_increase_pct: 1 }]

  test.each([
    ['at 2 % are decided', 20, 20, POINT, []],
    ['above it lack evidence', 0, 21, POINT, [reason('candidate', 21, '2.1')]],
    ['on the candidate alone read no baseline', 300, 0, POINT, []],
    [
      'on a rise read both sides',
      300,
      30,
      RISE,
      [reason('baseline', 300, '30.0'), reason('candidate', 30, '3.0')],
    ],
    ['that are not set need nothing', 300, 300, {}, []],
  ] as const)('%s', (_name, baseline, candidate, policy, reasons) => {
    const verdict = judged(baseline, candidate, policy)
    expect(verdict.reasons).toEqual(reasons)
    expect(verdictOf(verdict)).toBe(reasons.length === 0 ? 'pass' : 'inconclusive')
  })

  test('hold up no rollback', () => {
    expect(judged(300, 300, { ...POINT, ...RISE }, true).reasons).toEqual([])
  })
})
