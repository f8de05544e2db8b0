import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { Badge } from '../../components/badge.tsx'
import { Id, Time, Words } from '../../components/text.tsx'
import { href } from '../../route.ts'

/** Whether it still waits, or who answered it and how. */
export function RequestState({
  request,
}: {
  request: Pick<
    PromotionRequest,
    'status' | 'resolved_at' | 'resolved_by' | 'resolution_reason' | 'completed_action_id'
  >
}) {
  const { status, resolved_at, resolved_by, resolution_reason, completed_action_id } = request
  if (resolved_at === null)
    return (
      <Badge tone="warn" icon="waiting">
        pending
      </Badge>
    )
  return (
    <div class="stack">
      <Badge tone={status === 'completed' ? 'ok' : 'plain'}>{status}</Badge>
      <span class="faint">
        <Time at={resolved_at} /> by <Words>{resolved_by}</Words>: <Words>{resolution_reason}</Words>
      </span>
      {completed_action_id !== null && (
        <Id value={completed_action_id} link={href('ledger', { action: completed_action_id })} />
      )}
    </div>
  )
}
