import { ServiceError } from '../../base/errors.ts'
import type { DearRuns } from '../../ledger/memo.ts'
import { unabandoned } from '../../ledger/bounded.ts'
import { type Deadline, goneError } from '../../sql/port.ts'
import type { Called } from '../context.ts'
import type { Reply } from '../message.ts'

/** How much of a costly read is done at once. */
export interface Dear<I> {
  /** Most runs of the endpoint at once; further ones wait, and those that ask the same share one. */
  readonly most: number
  /** Which requests are costly; all unless said otherwise. */
  when?(input: I): boolean
}

/** Most requests that wait for a costly read, of all endpoints, and how long, ms. */
const MOST_WAITING = 64
const LONGEST_WAIT_MS = 10_000

interface Asked {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  readonly accept: string
}

/**
 * Runs a costly read when it is its turn. A request joins another that asks the same for the same callers only while
 * that one waits: what has begun may have read before the caller's last write.
 */
export async function sparingly<I extends Asked, R extends Reply>(
  dear: Dear<I> | undefined,
  route: string,
  input: I,
  called: Called,
  answer: (called: Called) => Promise<R>,
): Promise<R> {
  if (dear === undefined || dear.when?.(input) === false) return answer(called)
  const { dearRuns } = called.memo
  const { running, waiting } = dearRuns
  const run = (): Promise<R> => answer(unabandoned(called, called.sql.deadline?.leftMs()))
  if ((running.get(route) ?? 0) < dear.most) return counted(dearRuns, route, run)
  const key = JSON.stringify([route, input.path, input.query, input.body, input.accept, called.caller.scope])
  const known = waiting.get(key)
  if (known !== undefined) {
    known.callers.push(called.sql.deadline)
    return known.run as Promise<R>
  }
  if (waiting.size >= MOST_WAITING) throw tooMany()
  return enqueued(dearRuns, { route, key, callers: [called.sql.deadline] }, run)
}

function enqueued<R extends Reply>(
  dearRuns: DearRuns,
  { route, key, callers }: { route: string; key: string; callers: (Deadline | undefined)[] },
  run: () => Promise<R>,
): Promise<R> {
  const { waiting } = dearRuns
  const turn = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    waiting.delete(key)
    turn.reject(tooMany())
  }, LONGEST_WAIT_MS)
  const begin = (): void => {
    clearTimeout(timer)
    waiting.delete(key)
    turn.resolve()
  }
  const result = turn.promise.then(() =>
    counted(dearRuns, route, () => (callers.every(isGone) ? Promise.reject(goneError()) : run())),
  )
  waiting.set(key, { route, begin, run: result, callers })
  return result
}

function isGone(caller: Deadline | undefined): boolean {
  return caller?.signal?.aborted === true
}

/** When it is over, the first that waits for the same endpoint begins. */
async function counted<R>({ running, waiting }: DearRuns, route: string, run: () => Promise<R>): Promise<R> {
  running.set(route, (running.get(route) ?? 0) + 1)
  try {
    return await run()
  } finally {
    running.set(route, running.get(route)! - 1)
    const next = [...waiting.values()].find(other => other.route === route)
    next?.begin()
  }
}

function tooMany(): ServiceError {
  return new ServiceError(503, 'Too many costly reads at once; try again.', {
    headers: { 'Retry-After': '5' },
  })
}
