import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { Badge } from '../ui/badge.tsx'
import { Id, Time, Words } from '../ui/text.tsx'
import { href } from '../route.ts'

/** Whether it still waits, or who answered it and how. */
export function RequestState({
  request,
}: {
  request: Pick<
    PromotionRequest,
    | 'status'
    | 'resolved_at'
    | 'resolved_by'
    | 'resolution'
    | 'resolution_reason'
    | 'completed_action_id'
    | 'expires_at'
    | 'approvals'
    | 'approvals_required'
  >
}) {
  const { status, resolved_at, resolved_by, resolution, resolution_reason, completed_action_id } = request
  if (resolved_at === null) return <Waits request={request} />
  return (
    <div class="stack">
      <Badge tone={status === 'completed' ? 'ok' : 'plain'}>{resolution ?? status}</Badge>
      <span class="faint">
        <Time at={resolved_at} /> by <Words>{resolved_by}</Words>: <Words>{resolution_reason}</Words>
      </span>
      {completed_action_id !== null && (
        <Id value={completed_action_id} link={href('log', { action: completed_action_id })} />
      )}
    </div>
  )
}

/** Who has confirmed, how many are missing, and by when. */
function Waits({
  request: { expires_at, approvals = [], approvals_required: needed = 1 },
}: {
  request: Pick<PromotionRequest, 'expires_at' | 'approvals' | 'approvals_required'>
}) {
  return (
    <div class="stack">
      <Badge tone="warn" icon="waiting">
        {needed > 1 ? `${approvals.length} of ${needed} confirmed` : 'pending'}
      </Badge>
      {approvals.map(({ actor, reason }) => (
        <span key={actor} class="faint">
          <Words>{actor}</Words>: <Words>{reason}</Words>
        </span>
      ))}
      {expires_at !== undefined && (
        <span class="faint">
          ends <Time at={expires_at} />
        </span>
      )}
    </div>
  )
}
