import { useState } from 'preact/hooks'
import { isSameName, shareText } from '../../base/text.ts'
import type { Rollout, RolloutRequest } from '../../features/rollouts/models.ts'
import { actor } from '../access.ts'
import { Note } from '../ui/note.tsx'
import { PlaceInWords, ReleaseId } from '../ui/place.tsx'
import { Facts } from '../ui/table.tsx'
import { Id, Time, Words } from '../ui/text.tsx'
import { sendOnce } from './send.ts'
import { RequestState } from './request_state.tsx'
import { visit } from '../route.ts'
import { placeLink } from './comparison.ts'
import { ReasonDialog } from './reason_dialog.tsx'
import { Button } from '../ui/button.tsx'

type Answer = 'confirm' | 'reject'

/** A rollout that waits for a second pair of eyes, or did. */
export function RolloutRequestSheet({ request }: { request: RolloutRequest }) {
  const [what, setWhat] = useState<Answer | undefined>()
  return (
    <>
      <Facts
        facts={{
          Request: <Id value={request.request_id} />,
          State: <State request={request} />,
          Release: <ReleaseId id={request.candidate_release_id} />,
          Requested: (
            <span>
              <Requested request={request} />
            </span>
          ),
        }}
      />
      {request.status === 'pending' && (
        <div class="actions">
          <Button kind="primary" onClick={() => setWhat('confirm')}>
            Confirm and start…
          </Button>
          <Button onClick={() => setWhat('reject')}>Reject…</Button>
        </div>
      )}
      {what !== undefined && (
        <AnswerDialog request={request} what={what} onClose={() => setWhat(undefined)} />
      )}
    </>
  )
}

function State({ request }: { request: RolloutRequest }) {
  const { rollout_id } = request
  return (
    <div class="stack">
      <RequestState request={{ ...request, completed_action_id: null }} />
      {rollout_id !== null && <Id value={rollout_id} link={placeLink(request, { rollout: rollout_id })} />}
    </div>
  )
}

function AnswerDialog({
  request,
  what,
  onClose,
}: {
  request: RolloutRequest
  what: Answer
  onClose: () => void
}) {
  const isConfirm = what === 'confirm'
  async function send(reason: string): Promise<void> {
    const words = isConfirm ? { approval_reason: reason } : { reason }
    const sent = await sendOnce<Rollout | RolloutRequest>(`v1/rollouts/${what}`, {
      request_id: request.request_id,
      ...words,
    })
    if (sent.kind === 'stale')
      throw new Error('Another release is live than when it was requested: reject it.')
    onClose()
    if ('state' in sent.answer) visit(placeLink(request, { rollout: sent.answer.rollout_id }))
  }
  return (
    <ReasonDialog
      label={isConfirm ? 'Confirm and start' : 'Reject the rollout'}
      isDanger={!isConfirm}
      send={send}
      onClose={onClose}
    >
      <p>
        <ReleaseId id={request.candidate_release_id} isLink={false} /> for <PlaceInWords place={request} />,{' '}
        <Requested request={request} />
      </p>
      {isConfirm && isSameName(actor.value, request.actor) && <Note>You requested this yourself.</Note>}
    </ReasonDialog>
  )
}

function Requested({
  request: { created_at, actor: requester, reason, steps, by },
}: {
  request: RolloutRequest
}) {
  return (
    <>
      <Time at={created_at} /> by <Words>{requester}</Words>: <Words>{reason}</Words>{' '}
      <span class="faint">
        {steps.map(({ share, for: time }) => `${shareText(share)} for ${time}`).join(', ')}, by {by}
      </span>
    </>
  )
}
