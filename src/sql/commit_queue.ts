import { joinBatches } from './joined.ts'
import { type Result, SqlError, type Statement } from './port.ts'

/** Batches for one database, of requests of which each has a connection that the others may not use (Workers). */
export interface CommitQueue {
  /** The batches of the transaction that others may join, that of its leader first; it is empty once it was sent. */
  gathering: Batch[] | undefined
  /** Transactions that were sent and are not answered yet. */
  underWay: number
  /** Whether the last transaction that was sent was of several. */
  wasShared: boolean
}

interface Batch {
  readonly statements: readonly Statement[]
  readonly settle: (outcome: BatchOutcome) => void
}

/** What became of the batch of a request that does not lead; alone it is tried where it is not at fault, perhaps. */
type BatchOutcome = 'alone' | { readonly results: Result[] } | { readonly error: SqlError }

export function newCommitQueue(): CommitQueue {
  return { gathering: undefined, underWay: 0, wasShared: false }
}

/** Most batches of a transaction, and most statements: a request of Workers' smallest plan may send 50, reads included. */
const MOST_BATCHES = 4
const MOST_STATEMENTS = 40

/** How long a leader waits for company, again while more come, ms. */
const LINGER_MS = 2

/** How long a follower waits for its leader to send them all, ms. Then that is gone. */
const SENT_MS = 1000

/** How long it waits then for the outcome of its batch, ms: D1 gives up after 30 s. */
const OUTCOME_MS = 40_000

/**
 * Group commit without a writer of its own. A batch that comes while others are under way waits a moment for company, and
 * who comes in that moment goes with it in one transaction, which its request sends. Nobody waits for a transaction that
 * was sent before: a database may be far away. Where one fails, each of its batches is written alone, so that only the one
 * at fault fails. Throws `uncertain` where a leader never reports the outcome of a batch that it has sent.
 */
export async function commitTogether(
  queue: CommitQueue,
  statements: readonly Statement[],
  write: Write,
): Promise<Result[]> {
  const { gathering } = queue
  if (gathering === undefined || !hasRoom(gathering, statements)) return lead(queue, statements, write)
  const { promise, resolve: settle } = Promise.withResolvers<BatchOutcome>()
  const own = { statements, settle }
  gathering.push(own)
  let outcome = await within(SENT_MS, promise)
  if (outcome === undefined && gathering.includes(own)) {
    close(queue, gathering)
    gathering.splice(gathering.indexOf(own), 1)
    return write(statements)
  }
  outcome ??= await within(OUTCOME_MS, promise)
  if (outcome === undefined)
    throw new SqlError('uncertain', 'the request that wrote this with its own broke off')
  if (outcome === 'alone') return write(statements)
  if ('error' in outcome) throw outcome.error
  return outcome.results
}

type Write = (statements: readonly Statement[]) => Promise<Result[]>

async function lead(queue: CommitQueue, statements: readonly Statement[], write: Write): Promise<Result[]> {
  const own: Batch = { statements, settle: () => {} }
  const followers = queue.wasShared || queue.underWay > 0 ? await gather(queue, own) : []
  queue.wasShared = followers.length > 0
  queue.underWay += 1
  try {
    const joined = joinBatches([own, ...followers].map(batch => batch.statements))
    const [results, ...others] = joined.split(await write(joined.statements))
    for (const [index, { settle }] of followers.entries()) settle({ results: others[index]! })
    return results!
  } catch (error) {
    const isOfAll = error instanceof SqlError && IS_OF_ALL.has(error.kind)
    for (const { settle } of followers) settle(isOfAll ? { error } : 'alone')
    if (isOfAll || followers.length === 0) throw error
  } finally {
    queue.underWay -= 1
  }
  return write(statements)
}

/** Those who join a batch until there is no room, or nobody came for a moment. */
async function gather(queue: CommitQueue, own: Batch): Promise<Batch[]> {
  const batches = [own]
  queue.gathering = batches
  let before: number
  do {
    before = batches.length
    await new Promise(resolve => setTimeout(resolve, LINGER_MS))
  } while (batches.length > before && batches.length < MOST_BATCHES)
  close(queue, batches)
  return batches.splice(0).slice(1)
}

function close(queue: CommitQueue, batches: readonly Batch[]): void {
  if (queue.gathering === batches) queue.gathering = undefined
}

function hasRoom(batches: readonly Batch[], statements: readonly Statement[]): boolean {
  const count = batches.reduce((sum, batch) => sum + batch.statements.length, statements.length)
  return batches.length < MOST_BATCHES && count <= MOST_STATEMENTS
}

/** Failures that each of the batches would have met alone, or may have survived. */
const IS_OF_ALL: ReadonlySet<SqlError['kind']> = new Set(['busy', 'uncertain'])

function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}
