import { plannedBy } from '../../../src/rules/diff_statistics.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { decideDrop } from '../../../src/rules/statistics/decide.ts'
import { PASS_RATE, packCases, sumsOfCases, tableOf } from '../../../src/features/scores/rules_cases.ts'
import { scoreStatistics } from '../../../src/features/scores/rules_statistics.ts'
import type { SuiteImport } from '../../../src/features/scores/rules_suites.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import type { Sampling } from '../decisions.ts'
import { type Random, randomOf } from '../traffic.ts'

/** Cases that two releases were tried with, most of which score the same. */
export interface TieWorld {
  readonly name: string
  readonly cases: number
  /** Largest drop of the mean that the policy lets pass. */
  readonly limit: number
  /** A score before, and how often and by how much it falls; as often as it rises where it is no drop. */
  readonly scores: readonly number[]
  readonly moves: number
  readonly by: number
  readonly falls: number
  /** Share of comparisons that pass the limit: at most where the drop is beyond it, at least where there is none. */
  readonly most_passes?: number
  readonly least_passes?: number
}

export const TIE_WORLDS: readonly TieWorld[] = [
  {
    name: '10 cases of 0, ½ and 1, one in ten falls by ½',
    cases: 10,
    limit: 0.02,
    scores: [0.5, 1, 1, 1],
    moves: 0.1,
    by: 0.5,
    falls: 1,
    most_passes: 0.05,
  },
  {
    name: '30 cases of 1 to 5, 3 % fall by 3',
    cases: 30,
    limit: 0.05,
    scores: [4, 4, 5, 5, 5],
    moves: 0.032,
    by: 3,
    falls: 1,
    most_passes: 0.05,
  },
  {
    name: '200 cases of 0, ½ and 1, 5 % move by ½',
    cases: 200,
    limit: 0.05,
    scores: [0.5, 0.5, 0.5, 1],
    moves: 0.05,
    by: 0.5,
    falls: 0.5,
    least_passes: 0.9,
  },
]

/** How two imports compare. */
export interface Tied {
  readonly covers: number
  readonly worse: number
  readonly passes: number
}

const SCORE = 'correct'
const OPTIONS = plannedBy(DEFAULT_POLICY, workspaceConfig({}).diff)

/** Compares two imports of a suite again and again, by the code that is shipped. */
export function tiedIn(world: TieWorld, { reps, seed }: Sampling): Tied {
  const { name, cases, limit, moves, by, falls } = world
  const random = randomOf(seed, name)
  const drop = moves * by * (2 * falls - 1)
  const found = { covers: 0, worse: 0, passes: 0 }
  for (let rep = 0; rep < reps; rep++) {
    const before = Array.from({ length: cases }, () => picked(world.scores, random))
    const after = before.map(score =>
      random.uniform() >= moves ? score : random.uniform() < falls ? score - by : score + by,
    )
    const sides = { baseline: sideOf('before', before), candidate: sideOf('after', after) }
    const [score] = scoreStatistics(sides, OPTIONS, { [`suite/${SCORE}`]: limit })
    const { change } = score!
    const { low, high } = change.difference ?? { low: null, high: null }
    if ((low ?? -Infinity) <= -drop && -drop <= (high ?? Infinity)) found.covers += 1
    if (change.verdict === 'worse') found.worse += 1
    if (decideDrop(change, limit, 'block').passed) found.passes += 1
  }
  return { covers: found.covers / reps, worse: found.worse / reps, passes: found.passes / reps }
}

function picked(scores: readonly number[], { uniform }: Random): number {
  return scores[Math.floor(uniform() * scores.length)]!
}

function sideOf(import_id: string, scores: readonly number[]) {
  const { cases } = packCases(
    scores.map((score, index) => ({
      key: index.toString(16).padStart(16, '0'),
      isHashed: false,
      epoch: 1,
      cluster: null,
      scores: { [SCORE]: score },
      human: null,
      details: {},
    })),
  )
  const table = tableOf([cases])
  const aggregates = Object.entries(sumsOfCases(table)).flatMap(([name, [n, sum, sum_of_squares]]) =>
    name === PASS_RATE ? [] : [{ name, cluster: '0', n, sum, sum_of_squares }],
  )
  const suite: SuiteImport = {
    suite: 'suite',
    import_id,
    aggregates,
    cases: scores.length,
    created_at: 0,
    parts: 1,
    facts: undefined,
    table,
  }
  return { runs: [], suites: [suite] }
}
