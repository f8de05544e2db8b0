import { ServiceError, badRequest } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { sql } from '../../sql/port.ts'
import { asFlag, asNumber, asText, columns, firstRow } from '../../sql/query.ts'
import { requirePerson } from '../../ledger/decide/approvers.ts'
import { writeLogged } from '../../ledger/trail/write_logged.ts'
import type { Actor, Ledger } from '../../ledger/world/ledger.ts'
import type { ActionReview } from './models.ts'

export interface ReviewInput {
  readonly action_id: string
  readonly reason: string
  readonly actor: Actor
}

/**
 * Notes in the audit log that somebody has reviewed a forced action afterwards. It changes nothing else. Throws 404 for an
 * unknown action, 400 for one that the policy decided, and 403 for whom `approvals.people_only` rules out.
 */
export async function reviewAction(
  ledger: Ledger,
  { action_id, reason, actor }: ReviewInput,
): Promise<ActionReview> {
  if (isBlank(reason)) throw badRequest('reason is required to review a forced action')
  if (ledger.workspace.approvals?.people_only === true) requirePerson(actor, 'review a forced action')
  const id = ledger.newId('rev_')
  const query = firstRow(
    sql`SELECT audit_seq, action, release_id, agent_id, environment, actor, forced FROM actions
      WHERE action_id = ${action_id}`,
    columns({
      audit_seq: asNumber,
      action: asText,
      release_id: asText,
      agent_id: asText,
      environment: asText,
      actor: asText,
      forced: asFlag,
    }),
  )
  return writeLogged(ledger, query, found => {
    if (found === undefined) throw new ServiceError(404, `Unknown action: ${action_id}`)
    const { forced, actor: forcedBy, ...action } = found
    if (!forced) {
      throw badRequest(
        `${action_id} was not forced, the policy decided it: see \`svc audit explain ${action_id}\`.`,
      )
    }
    const created_at = ledger.now()
    const review: ActionReview = {
      review_id: id,
      action_id,
      audit_seq: action.audit_seq,
      reason,
      actor: actor.name,
      created_at: isoTime(created_at),
    }
    return {
      id,
      revises: 'none',
      entries: [
        {
          kind: 'action.reviewed',
          subject: id,
          actor,
          reason,
          created_at,
          fact: null,
          details: { action_id, ...action, forced_by: forcedBy },
        },
      ],
      write: () => [],
      done: review,
    }
  })
}
