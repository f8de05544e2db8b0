import { compareMeans, compareRates } from '../../src/rules/statistics/compare.ts'
import { type MetricStatistics, reported, settingsOf } from '../../src/rules/statistics/metric.ts'
import {
  type Pairs,
  caseEstimate,
  pairedFindings,
  sampleOfCases,
} from '../../src/features/scores/rules_paired.ts'
import { decideDrop } from '../../src/rules/statistics/decide.ts'
import { wilson } from '../../src/rules/statistics/rates.ts'
import type { Sampling } from './decisions.ts'
import { type Random, randomOf } from './traffic.ts'
import { pairsOf } from '../../test/support/statistics/pairs.ts'

/** Cases that two releases were tried with: how they come out, by a change of the mean. */
export interface Evaluation {
  readonly name: string
  readonly drop: number
  readonly draw: (random: Random, drop: number) => Pairs
}

const CASES = { graded: 200, binary: 300, epochs: 60, clusters: 20 } as const
const EPOCHS = 5

/** Scores of cases that differ by 0.21, of which a release's own part is 0.11. */
const GRADED: Evaluation = {
  name: `${CASES.graded} graded, -0.042`,
  drop: 0.042,
  draw: ({ normal }, drop) => {
    const levels = Array.from({ length: CASES.graded }, () => 0.7 + 0.21 * normal())
    return pairsOf(
      levels.map(level => level + 0.109 * normal()),
      levels.map(level => level - drop + 0.109 * normal()),
    )
  },
}

/** Nine in ten pass; with the change one in nine of these breaks, and four in ten of the others are mended. */
const BINARY: Evaluation = {
  name: `${CASES.binary} pass or fail, -5.3 points`,
  drop: 0.053,
  draw: ({ uniform }, drop) => {
    const before = Array.from({ length: CASES.binary }, () => Number(uniform() < 0.9))
    // Without a drop as many break as are mended.
    const broken = (0.0433 + drop) / 0.9
    const after = before.map(passed => Number(passed === 1 ? uniform() >= broken : uniform() < 0.433))
    return pairsOf(before, after, { isBinary: true })
  },
}

/** Cases that pass in some epochs and not in others, tried five times. */
const TRIED: Evaluation = {
  name: `${CASES.epochs} cases × ${EPOCHS} epochs, -5 points`,
  drop: 0.05,
  draw: ({ uniform }, drop) => {
    const shares = Array.from({ length: CASES.epochs }, () => 1 - uniform() ** 4)
    const tried = (share: number): number =>
      Array.from({ length: EPOCHS }, () => Number(uniform() < share)).reduce((a, b) => a + b, 0) / EPOCHS
    return pairsOf(
      shares.map(tried),
      shares.map(share => tried(share * (1 - drop / 0.8))),
      { isBinary: true, epochs: EPOCHS },
    )
  },
}

/** Twenty conversations of six cases, which move together. */
const CLUSTERED: Evaluation = {
  name: `${CASES.clusters} clusters of 6, graded, -0.042`,
  drop: 0.042,
  draw: ({ normal }, drop) => {
    const clusters = Array.from({ length: CASES.clusters * 6 }, (_, index) => Math.floor(index / 6))
    const moves = Array.from({ length: CASES.clusters }, () => 0.06 * normal())
    const before = clusters.map(() => 0.7 + 0.2 * normal())
    const after = before.map((value, index) => value - drop + moves[clusters[index]!]! + 0.08 * normal())
    return pairsOf(before, after, { clusters })
  },
}

export const EVALUATIONS: readonly Evaluation[] = [GRADED, BINARY, TRIED, CLUSTERED]

/** Shares of repetitions, case by case and without pairs. */
export interface Found {
  readonly worse: number
  readonly covers: number
  /** Limits of a fall by 0.02 that are passed. */
  readonly passes: number
}

/** How two evaluations compare whose true change is `drop`. */
export function comparedEvaluations(
  { name, draw }: Evaluation,
  drop: number,
  { reps, seed }: Sampling,
): { readonly paired: Found; readonly unpaired: Found } {
  const random = randomOf(seed, `${name} ${drop}`)
  const counts = { paired: [0, 0, 0], unpaired: [0, 0, 0] }
  for (let repetition = 0; repetition < reps; repetition++) {
    const pairs = draw(random, drop)
    for (const kind of ['paired', 'unpaired'] as const) {
      const change = kind === 'paired' ? pairedChange(pairs) : unpairedChange(pairs)
      const { low, high } = change.difference!
      counts[kind][0]! += Number(change.verdict === 'worse')
      counts[kind][1]! += Number(low! <= -drop && -drop <= high!)
      counts[kind][2]! += Number(decideDrop(change, 0.02, 'block').passed)
    }
  }
  const of = ([worse, covers, passes]: number[]): Found => ({
    worse: worse! / reps,
    covers: covers! / reps,
    passes: passes! / reps,
  })
  return { paired: of(counts.paired), unpaired: of(counts.unpaired) }
}

function pairedChange(pairs: Pairs): MetricStatistics {
  const settings = settingsOf({ better: 'higher', over_window: true }, pairs.isBinary ? 0.02 : 0.1)
  return reported(
    sampleOfCases(pairs.before),
    sampleOfCases(pairs.after),
    settings,
    pairedFindings(pairs, settings),
  )
}

function unpairedChange({ before, after, isBinary, epochs }: Pairs): MetricStatistics {
  const compare = isBinary && epochs === 1 ? compareRates : compareMeans
  return compare(sampleOfCases(before), sampleOfCases(after), { better: 'higher', over_window: true })
}

/** How often the interval of a pass rate over cases that are tried several times holds it: as it is, and of all tries alone. */
export function floorCoverage({ reps, seed }: Sampling): { readonly cases: number; readonly tries: number } {
  const random = randomOf(seed, 'floor')
  const truth = 0.8
  let [cases, tries] = [0, 0]
  for (let repetition = 0; repetition < reps; repetition++) {
    const { before } = TRIED.draw(random, 0)
    const table = {
      means: before,
      tries: before.map(() => EPOCHS),
      clusters: null,
      isBinary: true,
    }
    const { low, high } = caseEstimate(table, settingsOf({}, 0))
    const passed = before.reduce((sum, share) => sum + share * EPOCHS, 0)
    const alone = wilson({ events: passed, runs: before.length * EPOCHS }, 1.959964)
    cases += Number(low! <= truth && truth <= high!)
    tries += Number(alone.low! <= truth && truth <= alone.high!)
  }
  return { cases: cases / reps, tries: tries / reps }
}
