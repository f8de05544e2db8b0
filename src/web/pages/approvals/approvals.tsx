import { RESULT_WORDS } from '../../../rules/result.ts'
import { useState } from 'preact/hooks'
import type { DiffReport } from '../../../models/answers/diff.ts'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { Changes, Row } from '../../components/changes.tsx'
import { Choice, Filter, Reason } from '../../components/field.tsx'
import { Panel } from '../../components/panels.tsx'
import { PageHead } from '../../components/page.tsx'
import {
  MomentLink,
  Place,
  PlaceInWords,
  RELEASE_COLUMN,
  ReleaseId,
  Replaces,
} from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Facts, Table } from '../../components/table.tsx'
import { ExactTime, Id, Time, Words } from '../../components/text.tsx'
import { MEASURES, count, figureOf } from '../../format.ts'
import { useDiff, usePlace, useReleases, useRequests, useWorkspace } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { RequestState } from './request_state.tsx'
import { isSameName } from '../../../base/text.ts'
import { actor } from '../../access.ts'
import { useAttempt } from '../../attempt.ts'
import { ChangeForm, Dialog } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { Preview, type Previewed, useRequestPreview } from '../../decide/preview.tsx'
import { Result } from '../../decide/result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from '../../decide/reviewed.tsx'
import { type Attempt, sendDecision } from '../../decide/send.ts'
import { Badge, ResultBadge, Reasons } from '../../components/badge.tsx'
import { judged } from '../../../rules/verdict_words.ts'

const TABS = [
  ['pending', 'Pending'],
  ['completed', 'Completed'],
  ['cancelled', 'Cancelled'],
] as const

/** Promotions that wait for a second pair of eyes. */
export function ApprovalsPage() {
  const status = TABS.find(([tab]) => tab === param('status'))?.[0] ?? 'pending'
  const requests = useRequests(status)
  const needsApproval = useWorkspace().data?.promotion_requires_approval
  const [settling, setSettling] = useState<{ request: PromotionRequest; what: Settling } | undefined>()
  const agent = param('agent')
  return (
    <>
      <PageHead title="Approvals" about="Promotions that wait for a confirmation, and those that did." />
      <div class="fields pickers">
        <Choice label="Status" value={status} options={TABS} onChange={tab => change({ status: tab })} />
        <Filter label="Agent" value={agent} onChange={value => change({ agent: value })} />
      </div>
      <Loaded known={requests}>
        {({ requests: all }) => {
          const shown = all.filter(request => agent === '' || request.agent_id === agent)
          if (shown.length > 0) {
            return (
              <Table
                caption="Promotion requests"
                columns={columnsWith((request, what) => setSettling({ request, what }))}
                rows={shown}
                keyOf={request => request.request_id}
              />
            )
          }
          return (
            <Empty title={status === 'pending' ? 'No promotion waits' : `No ${status} request`}>
              {needsApproval === false && (
                <p class="faint">
                  This workspace needs no approvals; <code>promotion_requires_approval: true</code> in
                  service.yaml asks for them.
                </p>
              )}
            </Empty>
          )
        }}
      </Loaded>
      <Panel slot="approvals" status={status} agent={agent} />
      {param('request') !== '' && (
        <RequestDrawer
          id={param('request')}
          onClose={() => change({ request: null })}
          onAnswer={(request, what) => setSettling({ request, what })}
        />
      )}
      {settling !== undefined && <SettleDialog {...settling} onClose={() => setSettling(undefined)} />}
    </>
  )
}

function columnsWith(
  answerRequest: (request: PromotionRequest, what: Settling) => void,
): Column<PromotionRequest>[] {
  return [
    {
      label: 'Agent',
      cell: entry => <Place place={entry} isMain />,
    },
    RELEASE_COLUMN,
    {
      label: 'Requested',
      kind: 'grow',
      cell: ({ created_at, actor: requester, reason, request_id }) => (
        <div class="stack">
          <span>
            <Time at={created_at} /> by <Words>{requester}</Words>: <Words>{reason}</Words>
          </span>
          <Id value={request_id} link={hereWith({ request: request_id })} />
        </div>
      ),
    },
    { label: 'Policy', cell: request => <Judged request={request} /> },
    { label: 'State', cell: request => <RequestState request={request} /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: request =>
        request.status === 'pending' && (
          <>
            <button
              type="button"
              class="button small primary"
              onClick={() => answerRequest(request, 'confirm')}
            >
              Confirm…
            </button>
            <button type="button" class="button small" onClick={() => answerRequest(request, 'reject')}>
              Reject…
            </button>
            <button type="button" class="button small" onClick={() => answerRequest(request, 'cancel')}>
              Cancel…
            </button>
          </>
        ),
    },
  ]
}

/** How a request is settled: by who approves, by who does not, and by who made it. */
const WAYS = {
  confirm: { title: 'Confirm a promotion', label: 'Confirm and promote', why: 'Why it is approved' },
  reject: { title: 'Reject a request', label: 'Reject the request', why: 'Why it is rejected' },
  cancel: { title: 'Cancel a request', label: 'Cancel the request', why: 'Why it is cancelled' },
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
  const attempting = useAttempt()
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
    <Dialog title={title} onClose={onClose}>
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
          attempting={attempting}
          onBack={onClose}
          onSubmit={() => void attempting.attempt(submit)}
        >
          <div class="swap">
            <p>
              <PlaceInWords place={request} />, requested by <Words>{request.actor}</Words>:{' '}
              <Words>{request.reason}</Words>
            </p>
            <Replaces baseline={baseline} candidate={release_id} />
          </div>
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

/** What a request would be judged by now where it waits, and what is different from when it was made. */
function Judged({ request }: { request: PromotionRequest }) {
  const { policy, window, status } = request
  return (
    <div class="stack">
      {status === 'pending' ? <Now request={request} /> : <ResultBadge result={policy.result} />}
      <span class="faint">over {window}</span>
    </div>
  )
}

function Now({ request }: { request: PromotionRequest }) {
  const { agent_id, environment, baseline_release_id, policy } = request
  const live = usePlace(agent_id, environment)?.promoted
  const { verdict, diff } = useRequestPreview(request, live?.release_id ?? '')
  const before = useVersion(baseline_release_id ?? '')
  if (verdict === undefined) return <>…</>
  const { tone, title } = judged(verdict, diff.data?.statistics)
  return (
    <>
      <Badge tone={tone}>{title}</Badge>
      {verdict.passed !== policy.passed && <span>{RESULT_WORDS[policy.result]} when it was requested</span>}
      {(live?.release_id ?? null) !== (baseline_release_id || null) && (
        <span>
          live is <Words>{live?.version ?? 'nothing'}</Words>, was <Words>{before}</Words>
        </span>
      )}
    </>
  )
}

function useVersion(id: string): string {
  const releases = useReleases().data?.releases
  return releases?.find(({ release_id }) => release_id === id)?.version ?? (id || 'nothing')
}

type Settling = 'confirm' | 'reject' | 'cancel'

/** One request, whatever became of it: what the policy said when it was made, and what it says now. */
function RequestDrawer({
  id,
  onClose,
  onAnswer,
}: {
  id: string
  onClose: () => void
  onAnswer: (request: PromotionRequest, what: Settling) => void
}) {
  const requests = useRequests()
  return (
    <Dialog title="Promotion request" kind="drawer" onClose={onClose}>
      <Loaded known={requests} lines={8}>
        {({ requests: all }) => {
          const request = all.find(({ request_id }) => request_id === id)
          if (request === undefined) return <Empty title="It is not among the newest requests" />
          return (
            <>
              <Detail request={request} />
              {request.status === 'pending' && (
                <div class="actions">
                  <button type="button" class="button primary" onClick={() => onAnswer(request, 'confirm')}>
                    Confirm…
                  </button>
                  <button type="button" class="button" onClick={() => onAnswer(request, 'reject')}>
                    Reject…
                  </button>
                  <button type="button" class="button" onClick={() => onAnswer(request, 'cancel')}>
                    Cancel…
                  </button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

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
