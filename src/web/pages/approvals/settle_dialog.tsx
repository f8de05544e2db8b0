import { useState } from 'preact/hooks'
import { isSameName } from '../../../base/text.ts'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { actor } from '../../access.ts'
import { useAttempt } from '../../attempt.ts'
import { ChangeForm, Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { Reason } from '../../components/field.tsx'
import { PlaceInWords, ReleaseId } from '../../components/place.tsx'
import { Words } from '../../components/text.tsx'
import { Preview, useRequestPreview } from '../../decide/preview.tsx'
import { Result } from '../../decide/result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from '../../decide/reviewed.tsx'
import { type Attempt, sendDecision } from '../../decide/send.ts'

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
  const [done, setDone] = useState<Attempt | undefined>(undefined)
  const attempting = useAttempt()
  const { live, review } = useReviewed(agent_id, environment)
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const baseline = live?.release_id ?? ''
  const preview = useRequestPreview(request, baseline)
  const isConfirm = what === 'confirm'
  async function submit(): Promise<void> {
    const words = isConfirm ? { approval_reason: reason, ...expecting(live ?? null) } : { reason }
    const sent = await sendDecision(`v1/promote/${what}`, { request_id, ...words })
    if (sent.kind === 'stale') setInstead(sent.live)
    else if (isConfirm || sent.kind !== 'requested') setDone(sent)
    else onClose()
  }

  return (
    <Dialog title={isConfirm ? 'Confirm a promotion' : 'Cancel a request'} onClose={onClose}>
      {done !== undefined ? (
        <Result attempt={done} what="confirm" onDone={onClose} />
      ) : (
        <ChangeForm
          label={isConfirm ? 'Confirm and promote' : 'Cancel the request'}
          back="Back"
          isReady={reason.trim() !== '' && (live !== undefined || !isConfirm)}
          isDanger={!isConfirm}
          attempting={attempting}
          onBack={onClose}
          onSubmit={() => void attempting.attempt(submit)}
        >
          <div class="swap">
            <p>
              <PlaceInWords place={request} />, asked for by <Words>{request.actor}</Words>:{' '}
              <Words>{request.reason}</Words>
            </p>
            <dl>
              <div>
                <dt>Replaces</dt>
                <dd>{baseline === '' ? 'nothing' : <ReleaseId id={baseline} isLink={false} />}</dd>
              </div>
              <div>
                <dt>With</dt>
                <dd>
                  <ReleaseId id={release_id} isLink={false} />
                </dd>
              </div>
            </dl>
          </div>
          {isConfirm && (baseline !== '' || preview.verdict !== undefined) && (
            <Preview preview={preview} agent={agent_id} environment={environment} window={window} />
          )}
          <LiveInstead
            live={instead}
            onReview={now => {
              setInstead(undefined)
              review(now)
            }}
          />
          <Reason
            label={isConfirm ? 'Why it is approved' : 'Why it is cancelled'}
            hint="Kept with the request, word for word."
            value={reason}
            onChange={setReason}
          />
          {isConfirm && isSameName(actor.value, request.actor) && <Note>You asked for this yourself.</Note>}
        </ChangeForm>
      )}
    </Dialog>
  )
}
