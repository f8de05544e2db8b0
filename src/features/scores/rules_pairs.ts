import type { CaseMeans, Pairs } from '../../rules/statistics/paired.ts'
import { MILLION } from '../../rules/millionths.ts'
import type { CaseTable } from './rules_cases.ts'

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
  const [before, after, tries]: [number[], number[], number[]] = [[], [], []]
  const clusters: (number | null)[] = []
  for (const [number, key] of candidate.keys.entries()) {
    const other = baseline.numbers.get(key)
    if (other === undefined || c.n[number] === 0 || b.n[other] === 0) continue
    before.push(b.sum[other]! / b.n[other]!)
    after.push(c.sum[number]! / c.n[number]!)
    tries.push(b.n[other]!, c.n[number]!)
    clusters.push(candidate.clusters[number] ?? baseline.clusters[other]!)
  }
  if (before.length === 0) return undefined
  const share = (all: Float64Array): number => before.length / all.filter(n => n > 0).length
  return {
    before: Float64Array.from(before, value => value / MILLION),
    after: Float64Array.from(after, value => value / MILLION),
    // Of millionths, so that equal steps are equal.
    differences: Float64Array.from(before, (value, index) => (after[index]! - value) / MILLION),
    clusters: clusters.some(cluster => cluster !== null) ? clusters : null,
    isBinary: b.isBinary && c.isBinary,
    epochs: medianOf(tries),
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
  const scored = Array.from(n.keys()).filter(number => n[number]! > 0)
  const clusters = scored.map(number => table.clusters[number]!)
  return {
    means: Float64Array.from(scored, number => sum[number]! / n[number]! / MILLION),
    tries: Float64Array.from(scored, number => n[number]!),
    clusters: clusters.some(cluster => cluster !== null) ? clusters : null,
    isBinary,
  }
}
