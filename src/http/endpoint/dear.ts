import { Shares } from '../../base/shares.ts'
import type { DearRuns } from '../../ledger/world/memo.ts'
import { unabandoned } from '../../ledger/world/bounded.ts'
import { type Deadline, goneError } from '../../sql/port.ts'
import type { Called } from '../access/context.ts'
import type { Reply } from '../wire/message.ts'
import { shareOf, tooMuch } from './share.ts'

/** How much of a costly read is done at once. */
export interface Dear<I> {
  /** Most runs of the endpoint at once; further ones wait, and those that ask the same share one. */
  readonly most: number
  /** Which requests are costly; all unless said otherwise. */
  when?(input: I): boolean
}

/** Most requests that wait for a costly read, of all endpoints. */
const MOST_WAITING = 64

const WHY = 'Too many costly reads at once'

interface Asked {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  readonly accept: string
}

/**
 * Runs a costly read when it is its turn. A request joins another that asks the same for the same callers only while
 * that one waits: what has begun may have read before the caller's last write. A run does not begin where all its
 * callers are gone.
 */
export async function sparingly<I extends Asked, R extends Reply>(
  dear: Dear<I> | undefined,
  route: string,
  input: I,
  called: Called,
  answer: (called: Called) => Promise<R>,
): Promise<R> {
  if (dear === undefined || dear.when?.(input) === false) return answer(called)
  const { memo, caller, isReader, now, sql } = called
  const { dearRuns } = memo
  const { waiting } = dearRuns
  const shares = sharesOf(dearRuns, route, dear.most)
  const key = JSON.stringify([
    route,
    input.path,
    input.query,
    input.body,
    input.accept,
    caller.scope,
    isReader,
  ])
  const known = waiting.get(key)
  if (known !== undefined) {
    known.callers.push(sql.deadline)
    return known.run as Promise<R>
  }
  if (!shares.has(1, now()) && waitingFor(dearRuns) >= MOST_WAITING) throw tooMuch(WHY)
  const callers = [sql.deadline]
  const run = inTurn()
  waiting.set(key, { run, callers })
  return run

  async function inTurn(): Promise<R> {
    let giveBack
    try {
      giveBack = await shareOf(shares, 1, now, WHY)
    } finally {
      waiting.delete(key)
    }
    try {
      if (callers.every(isGone)) throw goneError()
      return await answer(unabandoned(called, sql.deadline?.leftMs()))
    } finally {
      giveBack()
    }
  }
}

function sharesOf({ shares, lapseMs }: DearRuns, route: string, most: number): Shares {
  const known = shares.get(route) ?? new Shares(most, lapseMs)
  shares.set(route, known)
  return known
}

function waitingFor({ shares }: DearRuns): number {
  return [...shares.values()].reduce((sum, { waiting }) => sum + waiting, 0)
}

function isGone(caller: Deadline | undefined): boolean {
  return caller?.signal?.aborted === true
}
