import { monotonicMs, nextTurn } from './clock.ts'
import { joinBatches } from '../joined.ts'
import { type BatchOptions, type Result, type Sql, SqlError, type Statement } from '../port.ts'

export interface GroupedWrites {
  readonly batch: Sql['batch']
  /** Resolves when no batch waits or is being written. */
  readonly settled: () => Promise<void>
  /** Transactions so far by how many batches they held; the first number is of those with one. */
  readonly sizes: readonly number[]
}

/** Most batches in one transaction: whoever reads in the same thread waits for all of them. */
const MOST_BATCHES = 8

/**
 * Batches that wait for the writer are committed together, in order, in one transaction of `commit`: pages that they
 * share, those of the indexes, are then written once. Each is answered after that commit, with its own results.
 * Where the transaction fails, each is tried alone, so that only the one at fault fails. It is as durable as the one
 * of them that asks for most.
 */
export function groupCommit(commit: Commit): GroupedWrites {
  const waiting: Batch[] = []
  const sizes = Array.from({ length: MOST_BATCHES }, () => 0)
  let writing: Promise<void> | undefined

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      // The writer is synchronous: only between turns of the loop does what waits at the door come in.
      await nextTurn()
      waiting.unshift(...(await writeTogether(waiting.splice(0, MOST_BATCHES), commit, sizes)))
    }
    writing = undefined
  }

  return {
    batch: (statements, { durable = false } = {}) =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, durable, resolve, reject, askedAt: monotonicMs() })
        writing ??= writeWaiting()
      }),
    settled: async () => writing,
    sizes,
  }
}

interface Batch extends Required<BatchOptions> {
  readonly statements: readonly Statement[]
  readonly resolve: (results: Result[]) => void
  readonly reject: (error: unknown) => void
  /** When it came, by `monotonicMs`. */
  readonly askedAt: number
}

/** One transaction; `askedAt` is since when the first of it waits. */
type Commit = (
  statements: readonly Statement[],
  askedAt: number,
  options: Required<BatchOptions>,
) => Promise<Result[]>

/** Batches that came within this time wait for a lock as long as each other, ms. */
const TOGETHER_MS = 1000

/** Returns the batches that may wait longer for a lock than the first of them has. */
async function writeTogether(batches: readonly Batch[], commit: Commit, sizes: number[]): Promise<Batch[]> {
  const { askedAt } = batches[0]!
  try {
    const { statements, split } = joinBatches(batches.map(batch => batch.statements))
    const results = split(
      await commit(statements, askedAt, { durable: batches.some(batch => batch.durable) }),
    )
    sizes[batches.length - 1]! += 1
    for (const [index, { resolve }] of batches.entries()) resolve(results[index]!)
  } catch (error) {
    const isLocked = error instanceof SqlError && error.kind === 'busy'
    if (batches.length === 1 || isLocked) {
      const over = batches.filter(batch => batch.askedAt <= askedAt + TOGETHER_MS)
      for (const { reject } of over) reject(error)
      return batches.slice(over.length)
    }
    for (const batch of batches) await writeTogether([batch], commit, sizes)
  }
  return []
}
