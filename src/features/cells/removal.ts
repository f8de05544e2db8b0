import { HOUR_MS } from '../../base/time.ts'
import { type Statement, sql } from '../../sql/port.ts'
import { ask, asNumber, changesOf, field, onlyRow, write } from '../../sql/query.ts'
import type { Removal } from '../feature.ts'

/** Cells that are removed at a time. */
const SOME = 500

/** Old cells go with the run events of their time; what they added up to stays. They name tenants by ids alone. */
export const removal: Removal = {
  name: 'cells',
  words: hours => `the cells of ${hours} ${hours === 1 ? 'hour' : 'hours'} of a release and a source`,
  erase: async () => {},
  prunable: (db, before) =>
    ask(
      db,
      onlyRow(sql`SELECT count(*) AS hours FROM cells WHERE ${isOld(before)}`, field('hours', asNumber)),
    ),
  prune: async (db, before, pace) => {
    const some = sql`DELETE FROM cells WHERE (scope, hour, source) IN (
      SELECT scope, hour, source FROM cells WHERE ${isOld(before)} LIMIT ${SOME})`
    for (let removed = 0; ;) {
      const now = await pace(() => write(db, changesOf(some)))
      if (now === 0) return removed
      removed += now
    }
  },
}

function isOld(before: number): Statement {
  return sql`hour < ${Math.floor(before / HOUR_MS)}`
}
