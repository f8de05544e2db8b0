import { useState } from 'preact/hooks'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { isSameName } from '../../base/text.ts'
import { actor } from '../access.ts'
import { Reasons, ResultBadge } from '../ui/badge.tsx'
import { Changes, Row } from '../ui/changes.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Reason } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { MomentLink, ReleaseId } from '../ui/place.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Words } from '../ui/text.tsx'
import { MEASURES, count, figureOf } from '../format.ts'
import { useDiff, usePlace } from '../reads.ts'
import { Preview, type Previewed, useRequestPreview } from './preview.tsx'
import { RequestState } from './request_state.tsx'
import { Result } from './result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from './reviewed.tsx'
import { type Attempt, sendDecision } from './send.ts'
import { Whose } from './whose.tsx'
import { Button } from '../ui/button.tsx'

/** One request, whatever became of it: what the policy said when it was made, what it says now, and how it is settled. */
export function RequestSheet({ request }: { request: PromotionRequest }) {
  const [what, setWhat] = useState<Settling | undefined>()
  return (
    <>
      {request.status === 'pending' && (
        <div class="actions">
          <Button kind="primary" onClick={() => setWhat('confirm')}>
            Confirm…
          </Button>
          <Button onClick={() => setWhat('reject')}>Reject…</Button>
          <Button onClick={() => setWhat('cancel')}>Cancel…</Button>
        </div>
      )}
      <Detail request={request} />
      {what !== undefined && (
        <SettleDialog request={request} what={what} onClose={() => setWhat(undefined)} />
      )}
    </>
  )
}

/** How a request is settled: by who approves, by who does not, and by who made it. */
const WAYS = {
  confirm: { title: 'Approve', label: 'Confirm and promote', why: 'Why it is approved' },
  reject: { title: 'Reject', label: 'Reject the request', why: 'Why it is rejected' },
  cancel: { title: 'Cancel', label: 'Cancel the request', why: 'Why it is cancelled' },
} as const

/** Confirms a request, judged again against what is live, rejects or cancels it. */
function SettleDialog({
  request,
  what,
  onClose,
}: {
  request: PromotionRequest
  what: Settling
  onClose: () => void
}) {
  const { request_id, release_id, agent_id, environment, window } = request
  const [reason, setReason] = useState('')
  const [done, setDone] = useState<Attempt | undefined>(undefined)
  const { live, instead: moved, review } = useReviewed(agent_id, environment)
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const baseline = live?.release_id ?? ''
  const preview = useRequestPreview(request, baseline)
  const isConfirm = what === 'confirm'
  const { title, label, why } = WAYS[what]
  const isLast = (request.approvals_required ?? 1) - (request.approvals?.length ?? 0) <= 1
  async function submit(): Promise<void> {
    const words = isConfirm ? { approval_reason: reason, ...expecting(live ?? null) } : { reason }
    const sent = await sendDecision(`v1/promote/${what}`, { request_id, ...words })
    if (sent.kind === 'stale') setInstead(sent.live)
    else if (isConfirm || sent.kind !== 'requested') setDone(sent)
    else onClose()
  }

  return (
    <Dialog title={<Whose what={title} place={request} from={baseline} to={release_id} />} onClose={onClose}>
      {done !== undefined ? (
        <Result
          attempt={done}
          what="confirm"
          agent={agent_id}
          comparing={{ baseline, candidate: release_id, environment, window }}
          onDone={onClose}
        />
      ) : (
        <ChangeForm
          label={isConfirm && !isLast ? 'Confirm as one of several' : label}
          back="Back"
          isReady={reason.trim() !== '' && (live !== undefined || !isConfirm)}
          isDanger={!isConfirm}
          onBack={onClose}
          send={submit}
        >
          <p>
            <Words>{request.actor}</Words> asks: <Words>{request.reason}</Words>
          </p>
          {isConfirm && (baseline !== '' || preview.verdict !== undefined) && (
            <Preview preview={preview} agent={agent_id} environment={environment} window={window} />
          )}
          <LiveInstead
            live={moved ?? instead}
            onReview={
              request.expected_baseline_release_id === undefined
                ? now => {
                    setInstead(undefined)
                    review(now)
                  }
                : undefined
            }
          />
          <Reason
            label={why}
            hint="Recorded with the request as written."
            value={reason}
            onChange={setReason}
          />
          {isConfirm && isSameName(actor.value, request.actor) && <Note>You requested this yourself.</Note>}
        </ChangeForm>
      )}
    </Dialog>
  )
}

type Settling = 'confirm' | 'reject' | 'cancel'

function Detail({ request }: { request: PromotionRequest }) {
  const { release_id, agent_id, environment, window, policy, baseline_release_id: before } = request
  const preview = useRequestPreview(request, usePlace(agent_id, environment)?.promoted?.release_id ?? '')
  return (
    <>
      <Facts
        facts={{
          Request: <Id value={request.request_id} />,
          State: <RequestState request={request} />,
          Agent: agent_id,
          Environment: environment,
          Release: <ReleaseId id={release_id} />,
          'Live when requested': before === '' || before === null ? 'nothing' : <ReleaseId id={before} />,
          'Requested by': request.actor,
          When: <ExactTime at={request.created_at} />,
          Reason: request.reason,
          Window: window,
        }}
      />
      <h3>Evidence</h3>
      <ThenAndNow request={request} now={request.status === 'pending' ? preview : undefined} />
      {before !== '' && before !== null && (
        <MomentLink
          agent={agent_id}
          env={environment}
          baseline={before}
          candidate={release_id}
          window={window}
          until={policy.evaluated_at}
        />
      )}
      {request.status === 'pending' && (
        <>
          <h3>Now</h3>
          <Preview preview={preview} agent={agent_id} environment={environment} window={window} />
        </>
      )}
    </>
  )
}

/** What a request was judged by when it was made, and what it would be judged by now. */
function ThenAndNow({ request, now }: { request: PromotionRequest; now: Previewed | undefined }) {
  const { release_id, environment, window, policy, baseline_release_id: before } = request
  const comparing = { candidate: release_id, environment, window }
  const then = useDiff({ ...comparing, baseline: before ?? '', until: policy.evaluated_at })
  const sides = [
    { diff: then.data, verdict: policy, baseline: before ?? '' },
    ...(now === undefined ? [] : [{ diff: now.diff.data, verdict: now.verdict, baseline: now.baseline }]),
  ]
  const row = (name: string, of: (report: DiffReport) => string) => (
    <Row
      key={name}
      name={name}
      cells={sides.map(({ diff, baseline }) =>
        baseline === '' ? 'nothing to compare' : diff === undefined ? '…' : of(diff),
      )}
    />
  )
  return (
    <>
      <Changes what="Evidence" sides={now === undefined ? ['When requested'] : ['When requested', 'Now']}>
        <Row
          name="Policy"
          cells={sides.map(({ verdict, baseline }) => (
            <>
              {verdict === undefined ? '…' : <ResultBadge result={verdict.result} />}
              {baseline === '' && ' not applied'}
            </>
          ))}
        />
        <Row
          name="Live"
          cells={sides.map(({ baseline }) => (baseline === '' ? 'nothing' : <ReleaseId id={baseline} />))}
        />
        {row('Runs', ({ samples }) => arrow(count(samples.baseline_runs), count(samples.candidate_runs)))}
        {MEASURES.map(measure => row(measure.name, report => figures(report, measure)))}
      </Changes>
      <p class="hint">
        Live, then this release. Requested at <ExactTime at={policy.evaluated_at} short />.
      </p>
      <Reasons reasons={policy.reasons} warnings={policy.warnings} />
    </>
  )
}

const arrow = (before: string, after: string): string => `${before} → ${after}`

function figures({ metrics, samples }: DiffReport, { figure, format }: (typeof MEASURES)[number]): string {
  return arrow(
    figureOf(samples.baseline_runs, metrics[`baseline_${figure}`], format),
    figureOf(samples.candidate_runs, metrics[`candidate_${figure}`], format),
  )
}
