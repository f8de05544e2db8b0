import { HOUR_MS } from '../../base/time.ts'
import { sql } from '../../sql/port.ts'
import { ask, changesOf, hasRow, write } from '../../sql/query.ts'
import type { Removal } from '../feature.ts'

/** Cells that are removed at a time. */
const SOME = 500

/** Old cells go with the run events of their time; what they added up to stays. They name tenants by ids alone. */
export const removal: Removal = {
  what: 'cells',
  erase: async () => {},
  prune: async (db, before, pace) => {
    const old = sql`hour < ${Math.floor(before / HOUR_MS)}`
    let removed = 0
    while (await ask(db, hasRow(sql`SELECT 1 FROM cells WHERE ${old} LIMIT 1`))) {
      const some = sql`DELETE FROM cells WHERE (scope, hour, source) IN (
        SELECT scope, hour, source FROM cells WHERE ${old} LIMIT ${SOME})`
      removed += await pace(() => write(db, changesOf(some)))
    }
    return removed
  },
}
