import { badRequest } from '../base/errors.ts'
import { isBlank } from '../base/text.ts'
import { isoTime } from '../base/time.ts'
import { ask } from '../sql/query.ts'
import { HEAD } from '../ledger/trail/chain.ts'
import { logOnly } from '../ledger/trail/write_logged.ts'
import { readClock } from '../ledger/trail/clock.ts'
import type { ServicesOptions } from './node/open.ts'
import { withLedger } from './node/with_ledger.ts'

export interface AcceptedClock {
  /** ISO-8601. */
  readonly now: string
  /** The later time that the ledger had noted. */
  readonly before: string
}

/**
 * Notes that this machine's clock is right although something in the ledger is of a later time: then time decides again.
 * Throws 400 without a reason, and where nothing is later.
 */
export function acceptClock(options: ServicesOptions, reason: string): Promise<AcceptedClock> {
  if (isBlank(reason)) throw badRequest('Say why the clock is right, by --reason.')
  return withLedger(options, async services => {
    const { now, doubt } = await readClock(services)
    if (doubt === undefined) {
      throw badRequest(`There is nothing to accept: nothing in the ledger is later than ${isoTime(now)}.`)
    }
    const before = isoTime((await ask(services.sql, HEAD)).latest_at)
    const actor = { name: options.environment.actor, source: 'cli' } as const
    await logOnly(services, { kind: 'clock.accepted', actor, reason, details: { before } })
    return { now: isoTime(now), before }
  })
}
