import { resultOf } from '../../rules/result.ts'
import { useEffect } from 'preact/hooks'
import type { PolicyTest } from '../../features/explain/models.ts'
import type { Policy } from '../../models/documents/policy.ts'
import { Badge, ResultBadge, Reasons } from '../ui/badge.tsx'
import { Note } from '../ui/note.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, Words } from '../ui/text.tsx'
import { counted } from '../format.ts'
import { href } from '../route.ts'
import { Loaded } from '../ui/states.tsx'
import { type Known, useRead } from '../query.ts'
import { ONCE_MS } from '../reads.ts'

/** A draft of a policy on past decisions. It may be set once that is shown. */
export function Tried({ policy, onTried }: { policy: Policy; onTried: () => void }) {
  const tried = usePolicyTest(policy)
  const limits = tried.data?.limits ?? []
  useEffect(() => {
    if (tried.data !== undefined) onTried()
  }, [tried.data])
  return (
    <>
      {limits.length > 0 && (
        <>
          <h3>What it lets through</h3>
          <Reasons reasons={limits} />
        </>
      )}
      <h3>On past decisions</h3>
      <Loaded known={tried} lines={3}>
        {report => <WhatIf report={report} />}
      </Loaded>
    </>
  )
}

/** How many decisions a draft is tried on. */
const TRIED = 20

const usePolicyTest = (policy: Policy): Known<PolicyTest> =>
  useRead({ method: 'POST', path: 'v1/policy/test', body: { policy, last: TRIED } }, ONCE_MS)

/** What a draft would have decided on the newest decisions, from their evidence. */
function WhatIf({ report }: { report: PolicyTest }) {
  const { tested, changed, unknown, without_evidence, changes, warnings = [] } = report
  const notes = [
    ...(unknown > 0 ? [`${counted(unknown, 'decision')} are unknown from their evidence`] : []),
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
        <a href={href('log', { action: action_id })}>
          {action === 'promote' ? 'Promotion' : 'Rollback'} <Time at={created_at} />
        </a>
        <span class="faint">
          <Words>{`${agent_id} in ${environment}`}</Words>
        </span>
      </div>
    ),
  },
  { label: 'It was', cell: ({ recorded }) => <ResultBadge result={resultOf(recorded)} /> },
  {
    label: 'It would be',
    kind: 'grow',
    cell: ({ draft, why }) => (
      <div class="stack">
        {draft.passed === null ? (
          <Badge tone="plain">not known</Badge>
        ) : (
          <ResultBadge result={resultOf({ passed: draft.passed, reasons: draft.reasons })} />
        )}
        <Reasons reasons={why} />
      </div>
    ),
  },
]
