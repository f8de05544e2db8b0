import { type Row, sql } from '../../sql/port.ts'
import { asRow, firstRow } from '../../sql/query.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { DecisionPart } from '../../ledger/assess/parts.ts'
import { endRetries, endWatch, endedWatchRow, insertWatch, newWatchRow, watchOfPromotion } from './begin.ts'

/** A decision that moves the pointer ends the watch there, and a promotion begins one where its policy says so. */
export const decision: DecisionPart<Row | undefined> = {
  name: 'watch',
  reads: ({ release_id, environment }) =>
    firstRow(
      sql`SELECT w.* FROM watches w JOIN releases r ON r.agent_id = w.agent_id
      WHERE r.release_id = ${release_id} AND w.environment = ${environment} AND w.state = 'watching'`,
      asRow,
    ),
  contribute: async ({ record, policy, since, now, newId }, running) => {
    const begun = watchOfPromotion(record, policy, since, newId)
    const isMoved = hasMoved(record)
    const ended = isMoved ? endedWatchRow(running, record, now) : undefined
    const rows = [ended, begun && newWatchRow(begun, now)].filter(row => row !== undefined)
    return {
      holds: await holdsOf('watches', rows),
      statements: guard => [
        ...(ended === undefined ? [] : [endWatch(ended, guard)]),
        ...(isMoved && record.baseline_release_id !== record.release_id ? [endRetries(record, guard)] : []),
        ...(begun === undefined ? [] : [insertWatch(begun, guard, now)]),
      ],
      answer: begun === undefined ? {} : { watch_id: begun.watch_id },
    }
  },
}
