import { useState } from 'preact/hooks'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { actor, isNameless, whyNoChanges } from '../../access.ts'
import { ActorField } from '../../components/actor_field.tsx'
import { ChangesOff } from '../../components/changes_off.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failure } from '../../components/failure.tsx'
import { Reason } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { PlaceInWords } from '../../components/place.tsx'
import { Id, Words } from '../../components/text.tsx'
import { Preview, usePreview } from '../../decide/preview.tsx'
import { Result } from '../../decide/result.tsx'
import { type Attempt, sendDecision } from '../../decide/send.ts'
import { useBoard } from '../../reads.ts'

/** Confirms a request, judged anew against what is live, or cancels it. */
export function SettleDialog({
  request,
  what,
  onClose,
}: {
  request: PromotionRequest
  what: 'confirm' | 'cancel'
  onClose: () => void
}) {
  const { request_id, release_id, agent_id, environment, window } = request
  const [reason, setReason] = useState('')
  const [attempt, setAttempt] = useState<Attempt | undefined>(undefined)
  const [isSending, setSending] = useState(false)
  const live = useBoard().data?.board.find(
    entry => entry.agent_id === agent_id && entry.environment === environment,
  )?.promoted
  const baseline = live?.release_id ?? ''
  const preview = usePreview({
    what: 'promote',
    needsApproval: true,
    target: release_id,
    environment,
    window,
    baseline,
  })

  async function submit(): Promise<void> {
    setSending(true)
    const words = what === 'confirm' ? { approval_reason: reason } : { reason }
    const sent = await sendDecision(`v1/promote/${what}`, { request_id, ...words })
    setSending(false)
    if (what === 'cancel' && sent.kind === 'requested') onClose()
    else setAttempt(sent)
  }

  const isDone = attempt !== undefined && attempt.kind !== 'failed'
  const off = whyNoChanges.value
  return (
    <Dialog title={what === 'confirm' ? 'Confirm a promotion' : 'Cancel a request'} onClose={onClose}>
      {isDone ? (
        <Result attempt={attempt} what="confirm" onDone={onClose} />
      ) : (
        <form
          class="decision"
          onSubmit={event => {
            event.preventDefault()
            void submit()
          }}
        >
          <div class="swap">
            <p>
              <PlaceInWords place={request} />, asked for by <Words>{request.actor}</Words>:{' '}
              <Words>{request.reason}</Words>
            </p>
            <dl>
              <div>
                <dt>Replaces</dt>
                <dd>{baseline === '' ? 'nothing' : <Id value={baseline} />}</dd>
              </div>
              <div>
                <dt>With</dt>
                <dd>
                  <Id value={release_id} />
                </dd>
              </div>
            </dl>
          </div>
          {what === 'confirm' && (baseline !== '' || preview.verdict !== undefined) && (
            <Preview preview={preview} agent={agent_id} environment={environment} window={window} />
          )}
          <Reason
            label={what === 'confirm' ? 'Why it is approved' : 'Why it is cancelled'}
            hint="Kept with the request, word for word."
            value={reason}
            onChange={setReason}
          />
          <ActorField label="Your name" />
          {what === 'confirm' && actor.value.trim() === request.actor && (
            <p class="note warn">
              <Icon name="warn" />
              <span>You asked for this yourself.</span>
            </p>
          )}
          <Failure message={attempt?.kind === 'failed' ? attempt.message : ''} />
          <ChangesOff />
          <footer>
            <button type="button" class="button" onClick={onClose}>
              Back
            </button>
            <button
              type="submit"
              class={`button ${what === 'confirm' ? 'primary' : 'danger filled'}`}
              disabled={isSending || reason.trim() === '' || isNameless() || off !== undefined}
            >
              {what === 'confirm' ? 'Confirm and promote' : 'Cancel the request'}
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}
