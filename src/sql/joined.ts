import type { Result, Statement } from './port.ts'

/** Several batches as one transaction. */
interface Joined {
  readonly statements: readonly Statement[]
  /** The results of each batch, out of those of the statements. */
  readonly split: (results: readonly Result[]) => Result[][]
}

/** In order; what the next batch catches up on as well is left to that. */
export function joinBatches(batches: readonly (readonly Statement[])[]): Joined {
  const runs = batches.map((batch, index) => {
    const left = batches[index + 1]?.filter(catchesUp) ?? []
    return batch.map(statement => !catchesUp(statement) || !left.some(later => isSame(later, statement)))
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
