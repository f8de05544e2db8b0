import { useState } from 'preact/hooks'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { PassedBadge } from '../../components/badge.tsx'
import { Choice, Filter } from '../../components/field.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place, RELEASE_COLUMN } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Id, Time, Words } from '../../components/text.tsx'
import { useRequests, useWorkspace } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { RequestDrawer } from './request_drawer.tsx'
import { RequestState } from './request_state.tsx'
import { SettleDialog } from './settle_dialog.tsx'

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
  const [settling, setSettling] = useState<
    { request: PromotionRequest; what: 'confirm' | 'cancel' } | undefined
  >()
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
            <Empty title={status === 'pending' ? 'Nothing waits' : `No ${status} request`}>
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
  answerRequest: (request: PromotionRequest, what: 'confirm' | 'cancel') => void,
): Column<PromotionRequest>[] {
  return [
    {
      label: 'Agent',
      cell: entry => <Place place={entry} isMain />,
    },
    RELEASE_COLUMN,
    {
      label: 'Asked',
      kind: 'grow',
      cell: ({ created_at, actor, reason, request_id }) => (
        <div class="stack">
          <span>
            <Time at={created_at} /> by <Words>{actor}</Words>: <Words>{reason}</Words>
          </span>
          <Id value={request_id} link={hereWith({ request: request_id })} />
        </div>
      ),
    },
    {
      label: 'Policy, when asked',
      cell: ({ policy, window }) => (
        <div class="stack">
          <PassedBadge passed={policy.passed} />
          <span class="faint">over {window}</span>
        </div>
      ),
    },
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
            <button type="button" class="button small" onClick={() => answerRequest(request, 'cancel')}>
              Cancel…
            </button>
          </>
        ),
    },
  ]
}
