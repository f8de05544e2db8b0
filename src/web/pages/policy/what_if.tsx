import type { PolicyTest } from '../../../models/answers/explanation.ts'
import { Badge, PassedBadge, Reasons } from '../../components/badge.tsx'
import { Note } from '../../components/note.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { counted } from '../../format.ts'
import { href } from '../../route.ts'

/** What a draft would have decided on the newest decisions, from their evidence. */
export function WhatIf({ report }: { report: PolicyTest }) {
  const { tested, changed, unknown, without_evidence, changes, warnings = [] } = report
  const notes = [
    ...(unknown > 0 ? [`${counted(unknown, 'decision')} can't be told from the evidence`] : []),
    ...(without_evidence > 0 ? [`${counted(without_evidence, 'decision')} kept no evidence`] : []),
  ]
  return (
    <>
      {warnings.map(warning => (
        <Note key={warning}>
          <bdi>{warning}</bdi>
        </Note>
      ))}
      <p role="status">
        {tested === 0 ? (
          'Nothing was decided yet that it could be tried on.'
        ) : (
          <strong>
            Would have changed {changed} of the last {counted(tested, 'decision')}
          </strong>
        )}
        {notes.length > 0 && <span class="faint"> ({notes.join('; ')})</span>}
      </p>
      {changes.length > 0 && (
        <Table
          caption="Decisions that would have been others"
          columns={COLUMNS}
          rows={changes}
          keyOf={({ action_id }) => action_id}
        />
      )}
    </>
  )
}

const COLUMNS: readonly Column<PolicyTest['changes'][number]>[] = [
  {
    label: 'Decision',
    cell: ({ action, action_id, agent_id, environment, created_at }) => (
      <div class="stack">
        <a href={href('ledger', { action: action_id })}>
          {action === 'promote' ? 'Promotion' : 'Rollback'} <Time at={created_at} />
        </a>
        <span class="faint">
          <Words>{`${agent_id} in ${environment}`}</Words>
        </span>
      </div>
    ),
  },
  { label: 'It was', cell: ({ recorded }) => <PassedBadge passed={recorded.passed} /> },
  {
    label: 'It would be',
    kind: 'grow',
    cell: ({ draft, why }) => (
      <div class="stack">
        {draft.passed === null ? (
          <Badge tone="plain">not known</Badge>
        ) : (
          <PassedBadge passed={draft.passed} />
        )}
        <Reasons reasons={why} />
      </div>
    ),
  },
]
