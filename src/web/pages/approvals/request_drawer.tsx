import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Facts } from '../../components/table.tsx'
import { ExactTime, Id, Words } from '../../components/text.tsx'
import { Preview, usePreview } from '../../decide/preview.tsx'
import { useBoard, useRequests } from '../../reads.ts'
import { href } from '../../route.ts'
import { Beside } from './beside.tsx'
import { RequestState } from './request_state.tsx'

/** One request, whatever became of it: what the policy said when it was asked, and what it says now. */
export function RequestDrawer({
  id,
  onClose,
  onAnswer,
}: {
  id: string
  onClose: () => void
  onAnswer: (request: PromotionRequest, what: 'confirm' | 'cancel') => void
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
  const live = useBoard().data?.board.find(
    entry => entry.agent_id === agent_id && entry.environment === environment,
  )?.promoted
  const preview = usePreview({
    what: 'promote',
    needsApproval: true,
    target: release_id,
    environment,
    window,
    baseline: live?.release_id ?? '',
  })
  return (
    <>
      <Facts
        facts={[
          ['Request', <Id key="id" value={request.request_id} />],
          ['State', <RequestState key="state" request={request} />],
          ['Agent', <Words key="agent">{agent_id}</Words>],
          ['Environment', <Words key="env">{environment}</Words>],
          ['Release', <Id key="rel" value={release_id} link={href('release', { id: release_id })} />],
          [
            'Live when asked',
            before === '' || before === null ? (
              'nothing'
            ) : (
              <Id value={before} link={href('release', { id: before })} />
            ),
          ],
          ['Asked by', <Words key="by">{request.actor}</Words>],
          ['When', <ExactTime key="at" at={request.created_at} />],
          ['Reason', <Words key="why">{request.reason}</Words>],
          ['Window', window],
        ]}
      />
      <h3>Evidence</h3>
      <Beside request={request} now={request.status === 'pending' ? preview : undefined} />
      {before !== '' && before !== null && (
        <p>
          <a
            href={href('diff', {
              agent: agent_id,
              env: environment,
              baseline: before,
              candidate: release_id,
              window,
              until: policy.evaluated_at,
            })}
          >
            The diff of that moment
          </a>
        </p>
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
