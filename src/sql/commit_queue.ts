import { joinBatches } from './joined.ts'
import { type Result, SqlError, type Statement } from './port.ts'

/** Batches for one database, of requests of which each has a connection that the others may not use (Workers). */
export interface CommitQueue {
  readonly followers: Batch[]
  /** The batch whose request is writing; undefined where none is. */
  leader: Batch | undefined
  /** Whether the last transaction was of several. */
  wasShared: boolean
}

interface Batch {
  readonly statements: readonly Statement[]
  readonly tell: (what: Told) => void
}

/** What a follower is told: to lead, to write alone, or what became of its batch. */
type Told = 'lead' | 'alone' | { readonly results: Result[] } | { readonly error: SqlError }

export function newCommitQueue(): CommitQueue {
  return { followers: [], leader: undefined, wasShared: false }
}

/** Most statements of a transaction with followers: a request of Workers' smallest plan may send 50, reads included. */
const MOST_STATEMENTS = 40

/** How long a leader that has company lets others come to the queue, ms. */
const LINGER_MS = 2

/** How long a follower watches one leader before it takes that for slow or gone, and leads itself, ms. */
const WATCH_MS = 1000

/** How often it does: D1 gives up what it was asked after 30 s. */
const WATCHES = 40

/**
 * Group commit without a writer of its own: a batch that comes while another is being written waits, and the first of
 * those that wait writes them all in one transaction, by its own connection. Where that fails by one of them, each is
 * written alone, so that only the one at fault fails. Throws `busy` where its turn does not come within 40 s, and
 * `uncertain` where its leader never tells what became of it.
 */
export async function commitTogether(
  queue: CommitQueue,
  statements: readonly Statement[],
  write: Write,
): Promise<Result[]> {
  const { promise: told, resolve: tell } = Promise.withResolvers<Told>()
  const own = { statements, tell }
  if (queue.leader === undefined) return lead(queue, own, write)
  queue.followers.push(own)
  const what = await follow(queue, own, told)
  if (what === 'lead') return lead(queue, own, write)
  if (what === 'alone') return write(statements)
  if ('error' in what) throw what.error
  return what.results
}

type Write = (statements: readonly Statement[]) => Promise<Result[]>

async function lead(queue: CommitQueue, own: Batch, write: Write): Promise<Result[]> {
  queue.leader = own
  await company(queue, own)
  const followers = takeFollowers(queue, own)
  queue.wasShared = followers.length > 0
  try {
    const joined = joinBatches([own, ...followers].map(batch => batch.statements))
    const [results, ...others] = joined.split(await write(joined.statements))
    for (const [index, { tell }] of followers.entries()) tell({ results: others[index]! })
    return results!
  } catch (error) {
    const isOfAll = error instanceof SqlError && IS_OF_ALL.has(error.kind)
    for (const { tell } of followers) tell(isOfAll ? { error } : 'alone')
    if (isOfAll || followers.length === 0) throw error
    return await write(own.statements)
  } finally {
    // Another leads by now where this one was taken for gone.
    if (queue.leader === own) {
      queue.leader = queue.followers.shift()
      queue.leader?.tell('lead')
    }
  }
}

/** Waits while others come, if some did lately, until there is no room for one more of its size. */
async function company({ wasShared, followers }: CommitQueue, { statements }: Batch): Promise<void> {
  let before = wasShared ? -1 : 0
  const isFull = (): boolean => sizeOf(followers) > MOST_STATEMENTS - 2 * statements.length
  while (followers.length > before && !isFull()) {
    before = followers.length
    await pause(LINGER_MS)
  }
}

/** The first of the queue, as many as there is room for. */
function takeFollowers({ followers }: CommitQueue, { statements }: Batch): Batch[] {
  let room = MOST_STATEMENTS - statements.length
  const over = followers.findIndex(follower => (room -= follower.statements.length) < 0)
  return followers.splice(0, over < 0 ? followers.length : over)
}

function sizeOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { statements }) => sum + statements.length, 0)
}

/** Failures that each of the batches would have met alone. */
const IS_OF_ALL: ReadonlySet<SqlError['kind']> = new Set(['busy', 'unavailable', 'uncertain'])

async function follow(queue: CommitQueue, own: Batch, told: Promise<Told>): Promise<Told> {
  for (let watch = 0; watch < WATCHES; watch++) {
    const { leader } = queue
    const what = await within(WATCH_MS, told)
    if (what !== undefined) return what
    if (queue.leader === leader && leaves(queue, own)) return 'lead'
  }
  throw leaves(queue, own)
    ? new SqlError('busy', 'D1 has too much to do')
    : new SqlError('uncertain', 'the request that wrote this with its own broke off')
}

/** Whether it was still in the queue. */
function leaves({ followers }: CommitQueue, own: Batch): boolean {
  const place = followers.indexOf(own)
  if (place >= 0) followers.splice(place, 1)
  return place >= 0
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
