import type { Result, Statement } from './port.ts'

/** Several batches as one transaction. */
interface Joined {
  readonly statements: readonly Statement[]
  /** The results of each batch, out of those of the statements. */
  readonly split: (results: readonly Result[]) => Result[][]
}

/** In order; what a batch catches up on is left to the next where that has all of it. */
export function joinBatches(batches: readonly (readonly Statement[])[]): Joined {
  const runs = batches.map((batch, index) => {
    const next = batches[index + 1]?.filter(catchesUp) ?? []
    const isLeft = batch.every(one => !catchesUp(one) || next.some(later => isSame(later, one)))
    return batch.map(statement => !(isLeft && catchesUp(statement)))
  })
  return {
    statements: batches.flatMap((batch, index) => batch.filter((_, place) => runs[index]![place]!)),
    split: results => {
      let taken = 0
      return runs.map(batch => batch.map(isRun => (isRun ? results[taken++]! : NOTHING)))
    },
  }
}

function catchesUp({ catchesUp: does = false }: Statement): boolean {
  return does
}

function isSame(one: Statement, other: Statement): boolean {
  return one.text === other.text && one.params.every((param, index) => param === other.params[index])
}

const NOTHING: Result = { rows: [], changes: 0 }
