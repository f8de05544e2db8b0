import { ServiceError } from '../../base/errors.ts'
import { type Clock, judgeClock } from '../../rules/clock.ts'
import { ask } from '../../sql/query.ts'
import { type Head, headQuery } from './chain.ts'
import type { Ledger } from '../world/ledger.ts'

export type TimedLedger = Pick<Ledger, 'sql' | 'now' | 'elapsed' | 'memo' | 'log'>

/**
 * The database's clock as a snapshot read it with the head, judged; `before` is the server's clock before that. What is
 * wrong with it is logged once.
 */
export function clockOf(
  { sql, now, elapsed, memo, log }: TimedLedger,
  { now: database, latest_at: latest }: Pick<Head, 'now' | 'latest_at'>,
  before: number,
): Clock {
  const { clock: seen } = memo
  const aheadMs = database - elapsed()
  seen.aheadMs ??= aheadMs
  const clock = judgeClock({
    database,
    server: { before, after: now() },
    ...(sql.clock.isLocal === true ? { own: { latest, movedMs: aheadMs - seen.aheadMs } } : {}),
  })
  const said =
    clock.doubt !== undefined ? 'doubt' : clock.apart !== undefined ? 'apart' : clock.warning && 'warning'
  if (said === seen.said) return clock
  seen.said = said
  if (clock.warning !== undefined) log('warn', `the clock is wrong: ${clock.warning}`)
  else log('info', 'the clock is right again')
  return clock
}

/** The same, read by itself. */
export async function readClock(place: TimedLedger): Promise<Clock> {
  const before = place.now()
  return clockOf(place, await ask(place.sql, headQuery(place.sql.clock)), before)
}

/** Throws 503, naming what is wrong, where nothing may be decided by the clock. */
export function requireClock({ apart, doubt }: Clock): void {
  const problem = apart ?? doubt
  if (problem !== undefined) throw clockError(problem)
}

export function clockError(problem: string): ServiceError {
  return new ServiceError(503, `This depends on the time, and the clock is wrong: ${problem}.`, {
    headers: { 'Retry-After': '60' },
  })
}
