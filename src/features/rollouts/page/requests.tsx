import { useState } from 'preact/hooks'
import { isSameName, shareText } from '../../../base/text.ts'
import type { Rollout, RolloutRequest } from '../models.ts'
import { actor } from '../../../web/access.ts'
import { Note } from '../../../web/components/note.tsx'
import { Section } from '../../../web/components/page.tsx'
import { Place, PlaceInWords, ReleaseId } from '../../../web/components/place.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Id, Time, Words } from '../../../web/components/text.tsx'
import { sendOnce } from '../../../web/decide/send.ts'
import { RequestState } from '../../../web/pages/approvals/request_state.tsx'
import { href, visit } from '../../../web/route.ts'
import { ReasonDialog } from './reason_dialog.tsx'
import { useRolloutRequests } from './reads.ts'

type Answer = 'confirm' | 'reject'

/** Rollouts that wait for a second pair of eyes, or did. */
export function Requests({ status, agent }: { status: RolloutRequest['status']; agent: string }) {
  const requests = useRolloutRequests(status).data?.requests ?? []
  const [answering, setAnswering] = useState<{ request: RolloutRequest; what: Answer } | undefined>()
  const shown = requests.filter(({ agent_id }) => agent === '' || agent_id === agent)
  if (shown.length === 0) return null
  return (
    <Section title="Rollouts">
      <Table
        caption="Rollout requests"
        columns={columnsWith((request, what) => setAnswering({ request, what }))}
        rows={shown}
        keyOf={({ request_id }) => request_id}
      />
      {answering !== undefined && <AnswerDialog {...answering} onClose={() => setAnswering(undefined)} />}
    </Section>
  )
}

function columnsWith(answer: (request: RolloutRequest, what: Answer) => void): Column<RolloutRequest>[] {
  return [
    { label: 'Agent', cell: request => <Place place={request} isMain /> },
    { label: 'Release', cell: ({ candidate_release_id }) => <ReleaseId id={candidate_release_id} /> },
    {
      label: 'Requested',
      kind: 'grow',
      cell: request => <Requested request={request} />,
    },
    { label: 'State', cell: request => <State request={request} /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: request =>
        request.status === 'pending' && (
          <>
            <button type="button" class="button small primary" onClick={() => answer(request, 'confirm')}>
              Confirm…
            </button>
            <button type="button" class="button small" onClick={() => answer(request, 'reject')}>
              Reject…
            </button>
          </>
        ),
    },
  ]
}

function State({ request }: { request: RolloutRequest }) {
  const { rollout_id } = request
  return (
    <div class="stack">
      <RequestState request={{ ...request, completed_action_id: null }} />
      {rollout_id !== null && <Id value={rollout_id} link={href('rollout', { id: rollout_id })} />}
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
    if ('state' in sent.answer) visit(href('rollout', { id: sent.answer.rollout_id }))
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
