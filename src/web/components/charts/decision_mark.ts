import type { ActionRecord } from '../../../models/answers/action.ts'
import { cameOut } from '../../../rules/evidence.ts'
import type { Mark } from './series.ts'

/** A decision as a mark on an axis of time. */
export function decisionMark(action: ActionRecord): Mark {
  const outcome = cameOut(action)
  return {
    at: Date.parse(action.created_at),
    label: `${action.action === 'promote' ? 'promotion' : 'rollback'} ${outcome}, by ${action.actor}`,
    kind: outcome === 'blocked' ? 'blocked' : action.action,
  }
}
