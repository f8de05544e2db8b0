/** Two releases to be compared, and what the policy has to be read of them besides. */
export interface Pair {
  readonly baselineId: string
  readonly candidateId: string
  readonly tails: boolean
  readonly tools: boolean
}

/** The pair that each question was last answered by. */
export type Pairs = Map<string, Pair>

export function isSamePair(a: Pair, b: Pair | undefined): boolean {
  return (
    a.baselineId === b?.baselineId &&
    a.candidateId === b.candidateId &&
    a.tails === b.tails &&
    a.tools === b.tools
  )
}
