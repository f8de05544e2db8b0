import { ServiceError } from '../../base/errors.ts'
import type { ActionDetail } from '../../models/answers/action.ts'
import { type Sql, sql } from '../../sql/port.ts'
import { ask, firstRow } from '../../sql/query.ts'
import { chainProblem, readStoredAction } from '../trail/chain.ts'
import { showAction } from './trail.ts'

/**
 * An action with its evidence, for what vouches for it. Throws 404 where there is none, and 409 where its row is not what
 * was written: its record has another hash, or its columns say something else.
 */
export async function unchangedAction(db: Sql, actionId: string): Promise<ActionDetail> {
  const action = await showAction(db, actionId)
  if (action.hash === null) return action
  const row = (await ask(
    db,
    firstRow(sql`SELECT * FROM actions WHERE action_id = ${actionId}`, readStoredAction),
  ))!
  const problem = await chainProblem(row, row.prev_hash)
  if (problem === undefined) return action
  throw new ServiceError(
    409,
    `${actionId} was changed in the database after it was decided: ${problem}. \`svc doctor\` checks the others.`,
  )
}
