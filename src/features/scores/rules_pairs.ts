import type { CaseMeans, Pairs } from '../../rules/statistics/paired.ts'
import { MILLION } from '../../rules/millionths.ts'
import { type CaseTable, partnersOf } from './rules_cases.ts'

/** The cases that both imports have with a score. */
interface SharedCases extends Pairs {
  /** Share of the side's cases with this score. */
  readonly baseline_share: number
  readonly candidate_share: number
}

/** The cases of two imports that both have a score; undefined where neither shares any. */
export function pairsOf(baseline: CaseTable, candidate: CaseTable, name: string): SharedCases | undefined {
  const [b, c] = [baseline.scores.get(name), candidate.scores.get(name)]
  if (b === undefined || c === undefined) return undefined
  const { numbers, shared } = partnersOf(candidate, baseline)
  const [before, after] = [new Float64Array(shared), new Float64Array(shared)]
  const differences = new Float64Array(shared)
  const clusters: (number | null)[] = []
  const tries: number[] = []
  const hasClusters = baseline.clusters !== null || candidate.clusters !== null
  let [pairs, isSingle] = [0, true]
  for (let number = 0; number < numbers.length; number++) {
    const other = numbers[number]!
    if (other < 0) continue
    const [nb, nc] = [b.n[other]!, c.n[number]!]
    if (nb === 0 || nc === 0) continue
    const [x, y] = [b.sum[other]! / nb, c.sum[number]! / nc]
    before[pairs] = x / MILLION
    after[pairs] = y / MILLION
    // Of millionths, so that equal steps are equal.
    differences[pairs] = (y - x) / MILLION
    if (hasClusters) clusters.push(candidate.clusters?.[number] ?? baseline.clusters?.[other] ?? null)
    isSingle &&= nb === 1 && nc === 1
    tries.push(nb, nc)
    pairs += 1
  }
  if (pairs === 0) return undefined
  const share = (all: Float64Array): number => pairs / all.reduce((scored, n) => scored + Number(n > 0), 0)
  return {
    before: before.subarray(0, pairs),
    after: after.subarray(0, pairs),
    differences: differences.subarray(0, pairs),
    clusters: hasClusters ? clusters : null,
    isBinary: b.isBinary && c.isBinary,
    epochs: isSingle ? 1 : medianOf(tries),
    baseline_share: share(b.n),
    candidate_share: share(c.n),
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A score of the cases of one import. */
export function meansOf(table: CaseTable, name: string): CaseMeans {
  const { n, sum, isBinary } = table.scores.get(name)!
  const [means, tries, clusters]: [number[], number[], (number | null)[]] = [[], [], []]
  for (let number = 0; number < n.length; number++) {
    if (n[number] === 0) continue
    means.push(sum[number]! / n[number]! / MILLION)
    tries.push(n[number]!)
    if (table.clusters !== null) clusters.push(table.clusters[number]!)
  }
  return {
    means: Float64Array.from(means),
    tries: Float64Array.from(tries),
    clusters: table.clusters === null ? null : clusters,
    isBinary,
  }
}
