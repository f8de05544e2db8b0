import { ServiceError } from '../../base/errors.ts'
import { type Holder, Shares, TimeShare } from '../../base/shares.ts'
import { type LimitedRuns, keepLatest } from '../../ledger/world/memo.ts'
import { unabandoned } from '../../sql/deadline.ts'
import { type Deadline, goneError } from '../../sql/port.ts'
import type { Called } from '../access/context.ts'
import type { Reply } from '../wire/message.ts'

/** How many runs of a costly endpoint may go on at once. */
export interface ConcurrencyLimit<I> {
  /** Most runs at once; further requests wait, and identical ones share one run. */
  readonly most: number
  /** The part of its time that a process may spend on one question that is put again and again; all unless said otherwise. */
  readonly share?: number
  /** Which requests are costly; all unless said otherwise. */
  when?(input: I): boolean
}

/** Most requests that wait for a costly read, of all endpoints. */
const MOST_WAITING = 64

const WHY = 'Too many costly reads at once'

/** How long the same question is answered without a rest, ms. */
const UNRESTED_MS = 100

/** Callers without read access: how many of their reads of a route are at work, and how many wait. */
const ANONYMOUS = { most: 1, waiting: 8 }

interface Keyed {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  readonly accept: string
}

/**
 * Runs an endpoint when fewer than `limit.most` of its runs go on. A request joins an identical one of a caller with the
 * same rights, but only while that one waits: a run that has begun may have read before the caller's last write. A run
 * does not begin if all its callers are gone. Callers without read access have a queue of their own before that of all,
 * so they never take a reader's turn. A question that is put without a pause rests in between, and those who put it meanwhile
 * share the next answer. Throws 503 where too many requests wait.
 */
export async function limitConcurrency<I extends Keyed, R extends Reply>(
  limit: ConcurrencyLimit<I> | undefined,
  route: string,
  input: I,
  called: Called,
  answer: (called: Called) => Promise<R>,
): Promise<R> {
  if (limit === undefined || limit.when?.(input) === false) return answer(called)
  const { memo, caller, isReader, now, elapsed, sql } = called
  const { limitedRuns } = memo
  const { waiting } = limitedRuns
  const shares = sharesOf(limitedRuns, route, limit.most)
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
    known.callers.push(sql.options.deadline)
    return known.run as Promise<R>
  }
  const anonymous = isReader ? undefined : sharesOf(limitedRuns, `${ANONYMOUS_QUEUE}${route}`, ANONYMOUS.most)
  if (anonymous !== undefined) {
    if (anonymous.waiting >= ANONYMOUS.waiting) throw tooMuch(WHY)
  } else if (!shares.has(1, now()) && waitingFor(limitedRuns) >= MOST_WAITING) throw tooMuch(WHY)
  const callers = [sql.options.deadline]
  const time = limit.share === undefined ? undefined : timeOf(limitedRuns, key, limit.share)
  const run = inTurn()
  waiting.set(key, { run, callers })
  return run

  async function inTurn(): Promise<R> {
    const turns: (() => void)[] = []
    try {
      try {
        const restMs = time?.restMs(elapsed()) ?? 0
        if (restMs > 0) await new Promise(resolve => setTimeout(resolve, restMs))
        if (anonymous !== undefined) turns.push(await shareOf(anonymous, 1, now, WHY))
        turns.push(await shareOf(shares, 1, now, WHY))
      } finally {
        waiting.delete(key)
      }
      if (callers.every(isGone)) throw goneError()
      const began = elapsed()
      try {
        return await answer(unabandoned(called, sql.options.deadline?.leftMs()))
      } finally {
        const ended = elapsed()
        time?.take(ended - began, ended)
      }
    } finally {
      for (const giveBack of turns.toReversed()) giveBack()
    }
  }
}

function timeOf({ questions }: LimitedRuns, key: string, share: number): TimeShare {
  const time = questions.get(key) ?? new TimeShare(UNRESTED_MS, share)
  keepLatest(questions, key, time)
  return time
}

const ANONYMOUS_QUEUE = 'anonymous '

function sharesOf({ shares, lapseMs }: LimitedRuns, route: string, most: number): Shares {
  const known = shares.get(route) ?? new Shares(most, lapseMs)
  shares.set(route, known)
  return known
}

function waitingFor({ shares }: LimitedRuns): number {
  const readers = [...shares].filter(([route]) => !route.startsWith(ANONYMOUS_QUEUE))
  return readers.reduce((sum, [, { waiting }]) => sum + waiting, 0)
}

function isGone(caller: Deadline | undefined): boolean {
  return caller?.signal?.aborted === true
}

/** How long a request waits for its share of something, and how long those who have more than theirs are left in peace, ms. */
const [LONGEST_WAIT_MS, PATIENT_MS] = [10_000, 2000] as const

/**
 * Waits for a share and returns what gives it back. Throws 503, with `why`, where it doesn't come within ten seconds. After two
 * other holders who have more than half give up what they can.
 */
export async function shareOf(
  shares: Shares,
  amount: number,
  now: () => number,
  why: string,
  holder?: Holder,
): Promise<() => void> {
  const turn = Promise.withResolvers<() => void>()
  const leave = shares.take(amount, now, turn.resolve, holder)
  const reclaim = holder && setTimeout(() => shares.reclaim(holder), PATIENT_MS)
  const timer = setTimeout(() => {
    leave()
    turn.reject(tooMuch(why))
  }, LONGEST_WAIT_MS)
  try {
    return await turn.promise
  } finally {
    clearTimeout(timer)
    clearTimeout(reclaim)
  }
}

/** 503 for what there is too much of at once. */
export function tooMuch(why: string): ServiceError {
  return new ServiceError(503, `${why}; try again.`, { headers: { 'Retry-After': '5' } })
}
