import { describe, expect, test } from 'vitest'
import {
  type CaseMeans,
  type Pairs,
  caseEstimate,
  pairedFindings,
  sampleOfCases,
} from '../../../../src/features/scores/rules_paired.ts'
import { scoreStatistics } from '../../../../src/features/scores/rules_statistics.ts'
import { toolStatistics } from '../../../../src/features/tools/rules.ts'
import { sumsOf } from '../../../../src/rules/rollup.ts'
import { decideDrop } from '../../../../src/rules/statistics/decide.ts'
import { reported, settingsOf } from '../../../../src/rules/statistics/metric.ts'
import { EVALUATIONS, comparedEvaluations } from '../../../../tools/calibration/evaluations.ts'
import { type Random, randomOf } from '../../../../tools/calibration/traffic.ts'
import { pairsOf } from '../../../support/statistics/pairs.ts'

const DRAWS = 1000
const SEED = 17

function changeOf(pairs: Pairs) {
  const settings = settingsOf({ better: 'higher', over_window: true }, 0.1)
  const [before, after] = [sampleOfCases(pairs.before), sampleOfCases(pairs.after)]
  return reported(before, after, settings, pairedFindings(pairs, settings))
}

/** Shares of draws: intervals that hold a fall by `truth`, and limits just below it that pass. */
function shares(name: string, truth: number, draw: (random: Random) => Pairs) {
  const random = randomOf(SEED, name)
  let [covers, passes] = [0, 0]
  for (let index = 0; index < DRAWS; index++) {
    const change = changeOf(draw(random))
    const { low, high } = change.difference!
    covers += Number(low! <= -truth && -truth <= high!)
    passes += Number(decideDrop(change, 0.99 * truth, 'block').passed)
  }
  return { covers: covers / DRAWS, passes: passes / DRAWS }
}

const times = (n: number, value: number): number[] => Array.from({ length: n }, () => value)

describe('cases that tie', () => {
  test.each([10, 30])('%i of which none changed prove no small limit, whatever one of them scores', cases => {
    for (const one of [1, 0.5]) {
      const scores = [one, ...times(cases - 1, 1)]
      const change = changeOf(pairsOf(scores, scores, { isBinary: one === 1 }))
      expect(decideDrop(change, 0.02, 'block')).toMatchObject({ passed: false, outcome: 'inconclusive' })
      expect(change.verdict).toBe('inconclusive')
    }
  })

  /** Scores from 1 to 5 of which a share falls by some points. */
  const judged = (cases: number, share: number, points: (random: Random) => number) => (random: Random) => {
    const before = Array.from({ length: cases }, () => (random.uniform() < 0.5 ? 4 : 5))
    return pairsOf(
      before,
      before.map(value => (random.uniform() < share ? value - points(random) : value)),
    )
  }
  const oneToThree = ({ uniform }: Random): number => 1 + Math.floor(3 * uniform())

  test.each([
    ['30, 3 % fall by three of five', 0.09, judged(30, 0.03, () => 3)],
    ...[30, 60, 100].map(n => [`${n}, 5 % fall by one to three`, 0.1, judged(n, 0.05, oneToThree)] as const),
    [
      '30 in five epochs, 3 % fail in all of them',
      0.03,
      (random: Random): Pairs => {
        const after = Array.from({ length: 30 }, () => Number(random.uniform() >= 0.03))
        return pairsOf(times(30, 1), after, { isBinary: true, epochs: 5 })
      },
    ],
  ] as const)('%s: the interval holds the fall, and a lower limit rarely passes', (name, truth, draw) => {
    const { covers, passes } = shares(name, truth, draw)
    expect(covers).toBeGreaterThanOrEqual(0.93)
    expect(passes).toBeLessThanOrEqual(0.05)
  })

  test('200 graded cases find a fall of 0.042 as before', () => {
    const { paired } = comparedEvaluations(EVALUATIONS[0]!, 0.042, { reps: DRAWS, seed: SEED })
    expect(paired.worse).toBeGreaterThanOrEqual(0.951)
  })

  test('that all score alike prove no floor, nor does one failed try prove much more than none', () => {
    const settings = settingsOf({}, 0)
    const of = (means: number[], more: Partial<CaseMeans>): number =>
      caseEstimate(
        {
          means: Float64Array.from(means),
          tries: Float64Array.from(means, () => 5),
          clusters: null,
          isBinary: true,
          ...more,
        },
        settings,
      ).low!
    expect(of(times(10, 4), { isBinary: false })).toBeLessThan(3.5)
    expect(of([0.8, ...times(59, 1)], {})).toBeLessThan(of(times(60, 1), {}) + 0.01)
  })
})

describe('runs that tie', () => {
  const scored = (...scores: number[]) => ({
    runs: [0, 1, 2, 3].map(block => ({
      name: 'q',
      cluster: `${block}`,
      ...sumsOf(scores.slice(15 * block, 15 * block + 15)),
    })),
    suites: [],
  })

  test.each([
    ['all 1', times(60, 1)],
    ['all 1 but one', [...times(59, 1), 0.5]],
    ['all 4 of 5', times(60, 4)],
  ])('60 that score %s prove no small limit', (_name, scores) => {
    const side = scored(...scores)
    const { change, candidate } = scoreStatistics({ baseline: side, candidate: side }, {}, undefined)[0]!
    expect(decideDrop(change, 0.02, 'block')).toMatchObject({ passed: false, outcome: 'inconclusive' })
    expect(candidate!.low!).toBeLessThan(candidate!.estimate - 0.02)
  })

  test('60 that all call a tool twice prove a limit of 5 %, and none of 2 %', () => {
    const blocks = ['0', '1', '2', '3']
    const all = blocks.map(block => ({ block, calling_runs: 15, calls: 30, calls_sq: 60 }))
    const side = { runs: new Map(blocks.map(block => [block, 15])), all, by_tool: [] }
    const { high } = toolStatistics({ baseline: side, candidate: side }, {}, {}).calls_per_run
      .relative_change!
    expect(high!).toBeGreaterThan(0.02)
    expect(high!).toBeLessThan(0.05)
  })
})
