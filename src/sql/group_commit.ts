import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Result, type Sql, SqlError, type Statement } from './port.ts'

export interface GroupedWrites {
  readonly batch: Sql['batch']
  /** Resolves when no batch waits or is being written. */
  readonly settled: () => Promise<void>
}

/** Most batches in one transaction: whoever reads in the same thread waits for all of them. */
const MOST_BATCHES = 8

/**
 * Batches that wait for the writer are committed together, in order, in one transaction of `commit`: pages that they
 * share, those of the indexes, are then written once. Each is answered after that commit, with its own results.
 * Where the transaction fails, each is tried alone, so that only the one at fault fails.
 */
export function groupCommit(commit: (statements: readonly Statement[]) => Promise<Result[]>): GroupedWrites {
  const waiting: Batch[] = []
  let writing: Promise<void> | undefined

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      // The writer is synchronous: only between turns of the loop does what waits at the door come in.
      await nextTurn()
      await writeTogether(waiting.splice(0, MOST_BATCHES), commit)
    }
    writing = undefined
  }

  return {
    batch: statements =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, resolve, reject })
        writing ??= writeWaiting()
      }),
    settled: async () => writing,
  }
}

interface Batch {
  readonly statements: readonly Statement[]
  readonly resolve: (results: Result[]) => void
  readonly reject: (error: unknown) => void
}

type Commit = (statements: readonly Statement[]) => Promise<Result[]>

async function writeTogether(batches: readonly Batch[], commit: Commit): Promise<void> {
  try {
    const results = await commit(batches.flatMap(({ statements }) => statements))
    let start = 0
    for (const { statements, resolve } of batches) {
      resolve(results.slice(start, start + statements.length))
      start += statements.length
    }
  } catch (error) {
    // A lock has been waited for as long as each of them may wait.
    if (batches.length === 1 || (error instanceof SqlError && error.kind === 'busy')) {
      for (const { reject } of batches) reject(error)
      return
    }
    for (const batch of batches) await writeTogether([batch], commit)
  }
}
