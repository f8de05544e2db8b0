import { Shares } from '../../base/shares.ts'
import type { DearRuns } from '../../ledger/memo.ts'
import type { Called } from '../context.ts'
import type { Reply } from '../message.ts'
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
 * that one waits: what has begun may have read before the caller's last write.
 */
export async function sparingly<I extends Asked, R extends Reply>(
  dear: Dear<I> | undefined,
  route: string,
  input: I,
  { memo: { dearRuns }, caller, now }: Pick<Called, 'memo' | 'caller' | 'now'>,
  run: () => Promise<R>,
): Promise<R> {
  if (dear === undefined || dear.when?.(input) === false) return run()
  const { waiting } = dearRuns
  const shares = sharesOf(dearRuns, route, dear.most)
  const key = JSON.stringify([route, input.path, input.query, input.body, input.accept, caller.scope])
  const known = waiting.get(key)
  if (known !== undefined) return known as Promise<R>
  if (!shares.has(1, now()) && waitingFor(dearRuns) >= MOST_WAITING) throw tooMuch(WHY)
  const result = inTurn()
  waiting.set(key, result)
  return result

  async function inTurn(): Promise<R> {
    let giveBack
    try {
      giveBack = await shareOf(shares, 1, now, WHY)
    } finally {
      waiting.delete(key)
    }
    try {
      return await run()
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
