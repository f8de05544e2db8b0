import { expect, test } from 'vitest'
import { type Moments, momentsOfSums } from '../../../../src/rules/statistics/samples.ts'
import { matchedMeans, matchedRates } from '../../../../src/rules/statistics/stratified.ts'
import { randomOf } from '../../../../tools/calibration/traffic.ts'

type Sums = readonly [n: number, sum: number, squares: number]
const FIXED = { alpha: 0.05, sequential: false, tuned_for_runs: 1000 }
const momentsOf = ([n, sum, squares]: Sums) => momentsOfSums(n, BigInt(sum), BigInt(squares))
const BASELINE: readonly Sums[] = [
  [40, 4100, 431000],
  [35, 3710, 404100],
  [50, 5600, 640800],
  [42, 4420, 478900],
  [38, 3900, 411700],
  [45, 4870, 539200],
  [1, 95, 9025],
  [44, 4500, 472600],
]

/** Blocks of time, and what the formulas give, worked out by another program. */
const MEANS: readonly (readonly [
  name: string,
  candidate: readonly Sums[],
  expected: Record<string, number>,
])[] = [
  [
    'runs within the blocks count',
    [
      [5, 530, 57100],
      [4, 445, 50400],
      [6, 720, 88200],
      [5, 540, 59000],
      [4, 410, 42700],
      [6, 690, 80300],
      [5, 500, 51000],
      [5, 525, 56100],
    ],
    {
      d: 4.40610295302,
      dl: -1.27872323469,
      dh: 10.0909291407,
      r: 0.0417282247133,
      rl: -0.0119714564243,
      rh: 0.096312727938,
      K: 7.18966059961,
      share_c: 1,
      df: 36.331197864,
      dfr: 37.2320307765,
      Mb: 105.590472235,
      Mc: 109.996575188,
    },
  ],
  [
    'the blocks count',
    [
      [5, 420, 36300],
      [4, 520, 68700],
      [6, 930, 146200],
      [5, 390, 31300],
      [4, 300, 23400],
      [6, 940, 149400],
      [5, 500, 51000],
      [5, 640, 83300],
    ],
    {
      d: 12.1117149884,
      dl: -20.3103376455,
      dh: 44.5337676222,
      r: 0.114704619953,
      rl: -0.197000030945,
      rh: 0.41130121886,
      K: 7.18966059961,
      share_c: 1,
      df: 6.92769206495,
      dfr: 6.96527024238,
      Mb: 105.590472235,
      Mc: 117.702187224,
    },
  ],
]

test.each(MEANS)('means over common blocks: %s', (_name, candidate, expected) => {
  const pairs = BASELINE.map((sums, index) => ({
    baseline: momentsOf(sums),
    candidate: momentsOf(candidate[index]!),
  }))
  const found = matchedMeans(pairs, 'time', FIXED)!
  const shown = {
    d: found.difference.estimate,
    dl: found.difference.low,
    dh: found.difference.high,
    r: found.relative_change!.estimate,
    rl: found.relative_change!.low,
    rh: found.relative_change!.high,
    K: found.overlap.effective_units,
    share_c: found.overlap.candidate_share,
    df: found.df,
    dfr: found.df_ratio,
    Mb: found.baseline_mean,
    Mc: found.candidate_mean,
  }
  for (const [name, value] of Object.entries(expected)) {
    expect(
      Math.abs(shown[name as keyof typeof shown]! - value) / Math.max(1, Math.abs(value)),
      name,
    ).toBeLessThan(2e-9)
  }
})

const RATES = [
  [
    'the blocks count',
    [200, 2, 180, 6, 220, 1, 210, 9, 190, 0, 205, 3, 195, 4, 200, 2],
    [20, 1, 22, 0, 18, 1, 25, 5, 20, 0, 21, 0, 19, 1, 23, 4],
    {
      d: 0.053287343258,
      dl: 0.00942431806391,
      dh: 0.143869921472,
      K: 7.93371214563,
      D: 2.3391765651,
      df: 21.1551512649,
      Mb: 0.0178369837482,
      Mc: 0.0711243270062,
    },
  ],
  [
    'no errors',
    [100, 0, 120, 0, 90, 0, 110, 0, 100, 0, 80, 0],
    [12, 0, 11, 0, 10, 0, 9, 0, 12, 0, 10, 0],
    { d: 0, dl: -0.00648412755797, dh: 0.0566347658683, K: 5.94417223555, D: 1, Mb: 0, Mc: 0 },
  ],
] as const

test.each(RATES)('rates over common blocks: %s', (_name, baseline, candidate, expected) => {
  const count = (numbers: readonly number[], at: number) => ({
    runs: numbers[2 * at]!,
    events: numbers[2 * at + 1]!,
  })
  const pairs = Array.from({ length: baseline.length / 2 }, (_, at) => ({
    baseline: count(baseline, at),
    candidate: count(candidate, at),
  }))
  const found = matchedRates(pairs, 'time', FIXED)!
  const shown: Record<string, number | null> = {
    d: found.difference.estimate,
    dl: found.difference.low,
    dh: found.difference.high,
    K: found.overlap.effective_units,
    D: found.design_effect,
    df: found.df,
    Mb: found.baseline_mean,
    Mc: found.candidate_mean,
  }
  for (const [name, value] of Object.entries(expected)) expect(shown[name], name).toBeCloseTo(value, 9)
})

test('rates of which nearly all lies in one block are within bounds that are numbers', () => {
  const pairs = [
    { baseline: { runs: 5000, events: 100 }, candidate: { runs: 5000, events: 60 } },
    { baseline: { runs: 4, events: 2 }, candidate: { runs: 3, events: 0 } },
  ]
  const { overlap, difference } = matchedRates(pairs, 'time', FIXED)!
  expect(overlap.effective_units).toBeLessThan(1.002)
  expect(difference.low).toBeCloseTo(-0.988, 2)
  expect(difference.high).toBeCloseTo(0.98, 2)
})

test('few skewed values beside many are bounded by the logarithm, as far as their number says', () => {
  const random = randomOf(11, 'few beside many')
  const draw = (n: number): number[] => Array.from({ length: n }, () => Math.exp(random.normal() - 0.5))
  const momentsOfValues = (values: readonly number[]): Moments => {
    const mean = values.reduce((sum, own) => sum + own, 0) / values.length
    return { n: values.length, mean, m2: values.reduce((sum, own) => sum + (own - mean) ** 2, 0) }
  }
  let [covers, above, found] = [0, 0, 0]
  const draws = 500
  for (let index = 0; index < draws; index++) {
    const pairs = Array.from({ length: 12 }, () => {
      const own = draw(2)
      return { baseline: momentsOfValues(draw(300)), candidate: momentsOfValues(own) }
    })
    const change = matchedMeans(pairs, 'time', FIXED)!.relative_change!
    covers += Number(change.low! <= 0 && change.high! >= 0)
    above += Number(change.low! > 0)
    // The same of a release whose runs cost double.
    found += Number(2 * (1 + change.low!) > 1)
  }
  expect(covers / draws).toBeGreaterThanOrEqual(0.9)
  expect(above / draws).toBeLessThanOrEqual(0.025)
  expect(found / draws).toBeGreaterThanOrEqual(0.6)
})
