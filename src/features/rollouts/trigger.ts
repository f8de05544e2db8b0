import { raw, sql } from '../../sql/port.ts'
import type { Ledger, Pace } from '../../ledger/world/ledger.ts'
import type { Trigger } from '../feature.ts'
import { splits } from './rows.ts'
import { lookForAWhile } from '../../ledger/world/due.ts'
import { lookAtRollouts } from './tick.ts'

export const trigger: Trigger = { first: ledger => lookForAWhile(ledger, 'rollouts', lookAtRollouts) }

/** Units that are removed at a time. */
const BATCH = 5000

/** Forgets which units were seen once nothing is split by them any more. Their numbers stay. */
export async function forgetUnits({ sql: db }: Ledger, pace: Pace): Promise<void> {
  for (;;) {
    const [removed] = await pace(() =>
      db.batch([
        sql`DELETE FROM rollout_units WHERE (rollout, step, unit) IN (
          SELECT u.rollout, u.step, u.unit FROM rollout_units u
          WHERE NOT EXISTS (SELECT 1 FROM rollouts o WHERE o.seq = u.rollout AND ${splits(db.clock)})
          LIMIT ${raw(String(BATCH))})`,
      ]),
    )
    if (removed!.changes === 0) return
  }
}
