import { type Wait, waitFor, nextTurn } from './wait.ts'
import { joinBatches } from '../joined.ts'
import { atEnd, requireTime } from '../deadline.ts'
import { type Result, type Sql, SqlError, type Statement } from '../port.ts'

export interface GroupedWrites {
  readonly batch: Sql['batch']
  /** Resolves when no batch waits or is being written. */
  readonly settled: () => Promise<void>
  /** Transactions so far by how many batches they had; the first number is of those with one. */
  readonly sizes: readonly number[]
}

/** Most batches in one transaction: whoever reads in the same thread waits for all of them. */
const MOST_BATCHES = 8

/**
 * Batches that wait for the writer are committed together, in order, in one transaction of `commit`: pages that they
 * share, those of the indexes, are then written once. Each is answered after that commit, with its own results.
 * Where the transaction fails, each is tried alone, so that only the one at fault fails. It is as durable as the one
 * of them that asks for most. A batch leaves when its deadline is over, and waits for a lock for `lockMs` at most.
 */
export function groupCommit(commit: Commit, lockMs: number): GroupedWrites {
  const waiting: Batch[] = []
  const sizes = Array.from({ length: MOST_BATCHES }, () => 0)
  let writing: Promise<void> | undefined

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      // The writer is synchronous: only between turns of the loop does what waits at the door come in.
      await nextTurn()
      const next = waiting.splice(0, MOST_BATCHES).filter(isWanted)
      if (next.length > 0) waiting.unshift(...(await writeTogether(next, commit, sizes)))
    }
    writing = undefined
  }

  return {
    batch: async (statements, { durable = false, deadline } = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
      const batch = { statements, durable, resolve, reject, wait: waitFor(lockMs, deadline) }
      waiting.push(batch)
      writing ??= writeWaiting()
      // One that is being written ends by itself: its lock is waited for no longer than this.
      const late = (error: unknown): void => {
        const place = waiting.indexOf(batch)
        if (place < 0) return
        waiting.splice(place, 1)
        reject(error)
      }
      const cancel = deadline === undefined ? () => {} : atEnd(deadline, late)
      return promise.finally(cancel)
    },
    settled: async () => writing,
    sizes,
  }
}

interface Batch {
  readonly statements: readonly Statement[]
  readonly durable: boolean
  readonly wait: Wait
  readonly resolve: (results: Result[]) => void
  readonly reject: (error: unknown) => void
}

/** Whether somebody waits still; if not, that is said. */
function isWanted({ wait: { deadline }, reject }: Batch): boolean {
  try {
    requireTime(deadline)
    return true
  } catch (error) {
    reject(error)
    return false
  }
}

/** One transaction, and how long it may wait for its lock. */
type Commit = (
  statements: readonly Statement[],
  wait: Wait,
  options: { readonly durable: boolean },
) => Promise<Result[]>

/** Batches that may wait as long as each other, but for this, give up a lock together, ms. */
const TOGETHER_MS = 1000

/** Returns the batches that may wait longer for a lock than the first of them has. */
async function writeTogether(batches: readonly Batch[], commit: Commit, sizes: number[]): Promise<Batch[]> {
  const until = (): number => Math.min(...batches.map(({ wait }) => wait.until()))
  try {
    const { statements, split } = joinBatches(batches.map(batch => batch.statements))
    const wait = { startedAt: batches[0]!.wait.startedAt, until }
    const results = split(await commit(statements, wait, { durable: batches.some(batch => batch.durable) }))
    sizes[batches.length - 1]! += 1
    for (const [index, { resolve }] of batches.entries()) resolve(results[index]!)
  } catch (error) {
    const isLocked = error instanceof SqlError && error.kind === 'busy'
    if (batches.length === 1 || isLocked) {
      const first = until()
      const over = batches.filter(({ wait }) => batches.length === 1 || wait.until() <= first + TOGETHER_MS)
      for (const batch of over) if (isWanted(batch)) batch.reject(error)
      return batches.filter(batch => !over.includes(batch))
    }
    for (const batch of batches) await writeTogether([batch], commit, sizes)
  }
  return []
}
