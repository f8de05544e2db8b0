import { type Row, sql } from '../../sql/port.ts'
import { allRows, asRow } from '../../sql/query.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { holdsOf } from '../../ledger/trail/bound_rows.ts'
import type { DecisionPart } from '../../ledger/assess/parts.ts'
import { endedRow } from './change.ts'
import { COLUMNS, OPEN, changeStatements } from './rows.ts'

/** Another release that goes live, by promotion or rollback, ends the rollout there, and what one holds back. */
export const decision: DecisionPart<Row[]> = {
  name: 'rollouts',
  reads: ({ release_id, environment }) =>
    allRows(
      sql`SELECT ${COLUMNS} FROM rollouts
      WHERE agent_id = (SELECT agent_id FROM releases WHERE release_id = ${release_id})
        AND environment = ${environment}
        AND (${OPEN} OR (state = 'completed' AND hold_until IS NOT NULL))`,
      asRow,
    ),
  contribute: async ({ record, now, newId }, found) => {
    const { action, action_id, release_id, actor, baseline_release_id } = record
    const isMoved = hasMoved(record) && baseline_release_id !== release_id
    const completes = (record.evidence as { rollout?: { rollout_id: string } }).rollout?.rollout_id
    const because = `${release_id} went live (${action}, ${action_id})`
    const ended = !isMoved
      ? []
      : found
          .filter(row => row.rollout_id !== completes)
          .filter(row => row.state !== 'completed' || Number(row.hold_until) > now)
          .map(row =>
            row.state === 'completed'
              ? { ...row, hold_until: now, because: `the hold ended: ${because}`, changed_by: actor }
              : endedRow(row, 'superseded', because, actor, now),
          )
    if (ended.length === 0) return undefined
    const changeId = newId('rlc_')
    return {
      holds: await holdsOf('rollouts', ended),
      statements: guard => ended.flatMap(row => changeStatements(row, changeId, guard)),
      answer: {},
    }
  },
}
