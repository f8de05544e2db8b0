import { useState } from 'preact/hooks'
import type { ActionRecord } from '../../../models/answers/action.ts'
import { Badge, PassedBadge } from '../../components/badge.tsx'
import { Filter } from '../../components/field.tsx'
import { PageHead } from '../../components/page.tsx'
import { Place, RELEASE_COLUMN } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { useEnvironments } from '../../environments.ts'
import { useActions, useBoard } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { useBadRows } from './bad_rows.ts'
import { ActionDrawer } from './drawer.tsx'
import { ChainStatus } from './chain_status.tsx'

const PAGE_SIZE = 100

/** Every attempt, passed or blocked, newest first. */
export function LedgerPage() {
  const board = useBoard().data?.board ?? []
  const after = param('after')
  const filters = { agent: param('agent'), env: param('env'), limit: PAGE_SIZE, after }
  const [isVerifying, setVerifying] = useState(false)
  // To be verified, rows come with the records that were hashed.
  const actions = useActions({ ...filters, ...(isVerifying ? { evidence: 'true' } : {}) })
  const bad = useBadRows(isVerifying ? actions.data?.actions : undefined)
  const isFiltered = filters.agent !== '' || filters.env !== ''
  return (
    <>
      <PageHead
        title="Ledger"
        about="Every promotion and rollback that was asked for. Nothing here ever changes."
      >
        <ChainStatus
          isAsked={isVerifying}
          onAsk={() => setVerifying(true)}
          head={isFiltered || after !== '' ? undefined : (actions.data?.actions[0]?.hash ?? undefined)}
        />
      </PageHead>
      <div class="fields pickers">
        <Filter
          label="Agent"
          value={filters.agent}
          onChange={agent => change({ agent, after: null })}
          options={[...new Set(board.map(entry => entry.agent_id))]}
        />
        <Filter
          label="Environment"
          value={filters.env}
          onChange={env => change({ env, after: null })}
          options={useEnvironments()}
        />
      </div>
      <Loaded known={actions} lines={10}>
        {({ actions: rows, next_after }) => (
          <>
            {rows.length === 0 ? (
              <Empty title={isFiltered ? 'No action of that agent and environment' : 'No actions yet'} />
            ) : (
              <Table
                caption="Actions"
                columns={columnsWith(bad)}
                rows={rows}
                keyOf={action => action.action_id}
              />
            )}
            <nav class="paging" aria-label="Pages of the ledger">
              {after !== '' && <a href={hereWith({ after: null })}>Newest</a>}
              {next_after !== null && <a href={hereWith({ after: String(next_after) })}>Older</a>}
            </nav>
          </>
        )}
      </Loaded>
      {param('action') !== '' && (
        <ActionDrawer id={param('action')} onClose={() => change({ action: null })} />
      )}
    </>
  )
}

function columnsWith(bad: ReadonlySet<string>): Column<ActionRecord>[] {
  return [
    {
      label: '#',
      kind: 'number',
      cell: ({ audit_seq, action_id }) => (
        <>
          {audit_seq}
          {bad.has(action_id) && (
            <>
              {' '}
              <Badge tone="bad">not as hashed</Badge>
            </>
          )}
        </>
      ),
    },
    { label: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      label: 'Action',
      cell: ({ action, action_id }) => (
        <a href={hereWith({ action: action_id })}>{action === 'promote' ? 'Promotion' : 'Rollback'}</a>
      ),
    },
    {
      label: 'Verdict',
      cell: ({ policy_passed, forced }) => <PassedBadge passed={policy_passed} forced={forced} />,
    },
    {
      label: 'Agent',
      cell: entry => <Place place={entry} isMain={false} />,
    },
    RELEASE_COLUMN,
    { label: 'By', cell: ({ actor }) => <Words>{actor}</Words> },
    { label: 'Reason', kind: 'grow', cell: ({ reason }) => <Words>{reason}</Words> },
  ]
}
