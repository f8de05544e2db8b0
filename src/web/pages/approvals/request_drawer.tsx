import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { Dialog } from '../../components/dialog.tsx'
import { MomentLink, ReleaseId } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Facts } from '../../components/table.tsx'
import { ExactTime, Id } from '../../components/text.tsx'
import { type Previewed, Preview, useRequestPreview } from '../../decide/preview.tsx'
import { usePlace, useRequests, useDiff } from '../../reads.ts'
import { RequestState } from './request_state.tsx'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { PassedBadge, Reasons } from '../../components/badge.tsx'
import { Changes, Row } from '../../components/changes.tsx'
import { MEASURES, count, figureOf } from '../../format.ts'
import { Panel } from '../../components/panels.tsx'

export type Settling = 'confirm' | 'reject' | 'cancel'

/** One request, whatever became of it: what the policy said when it was made, and what it says now. */
export function RequestDrawer({
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
              {verdict === undefined ? '…' : <PassedBadge passed={verdict.passed} />}
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
      {now !== undefined && <Panel slot="request" evaluatedAt={policy.evaluated_at} />}
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
