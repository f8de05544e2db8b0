import { RESULT_WORDS, resultOf } from '../../../rules/result.ts'
import { useEffect, useState } from 'preact/hooks'
import type { ActionDetail } from '../../../models/answers/action.ts'
import type { ExplainedLimit } from '../../../models/answers/statistics.ts'
import type { Explanation, PolicyTest } from '../models.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import { Badge, ResultBadge, Reasons } from '../../../web/components/badge.tsx'
import { Select } from '../../../web/components/field.tsx'
import { Forest, type Weighed } from '../../../web/components/forest.tsx'
import { Note } from '../../../web/components/note.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'
import { href } from '../../../web/route.ts'
import { Loaded } from '../../../web/components/states.tsx'
import { type Known, get, useRead } from '../../../web/query.ts'
import { ONCE_MS, usePolicy } from '../../../web/reads.ts'

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

const RECORDED = 'the policy of the record'
const PRESENT = 'the policy in force now'

/** Decides a recorded action again from its evidence, limit by limit: by its own policy, or by another. */
export function Again({ action: { action_id, evidence } }: { action: ActionDetail }) {
  const [by, setBy] = useState(RECORDED)
  const present = usePolicy().data
  if (evidence === null) return null
  const policy = by === PRESENT ? present : undefined
  return (
    <>
      <h3>Limit by limit</h3>
      <div class="again">
        <Select
          label="Decide again by"
          value={by}
          onChange={setBy}
          options={[RECORDED, ...(present === undefined ? [] : [PRESENT])]}
        />
      </div>
      <Loaded known={useExplanation(action_id, policy)} lines={5}>
        {explanation => <Explained explanation={explanation} />}
      </Loaded>
    </>
  )
}

function useExplanation(actionId: string, policy: object | undefined): Known<Explanation> {
  const path = `v1/actions/${encodeURIComponent(actionId)}/explain`
  return useRead<Explanation>(
    policy === undefined ? get(path) : { method: 'POST', path, body: { policy } },
    ONCE_MS,
  )
}

function Explained({ explanation: { limits, recorded, replayed, equal, by } }: { explanation: Explanation }) {
  return (
    <>
      <p role="status">
        {replayed.passed === null ? (
          <Badge tone="plain">not known</Badge>
        ) : (
          <ResultBadge result={resultOf({ ...replayed, passed: replayed.passed })} />
        )}{' '}
        {equal ? 'as on record' : `on record: ${RESULT_WORDS[resultOf(recorded)]}`}
        {by === 'record' && !equal && <strong> The record differs from its own evidence.</strong>}
      </p>
      {limits.length === 0 ? (
        <p class="faint">This policy sets no limit.</p>
      ) : (
        <Forest label="Limits" rows={limits.map(weighed)} />
      )}
      {by === 'policy' && <Reasons reasons={replayed.reasons} />}
      {replayed.unknown.length > 0 && (
        <>
          <p class="hint">The evidence lacks what {counted(replayed.unknown.length, 'limit')} would take:</p>
          <Reasons reasons={replayed.unknown} />
        </>
      )}
    </>
  )
}

/** What is no number is said in words. */
function weighed({ value, limit, why, ...row }: ExplainedLimit): Weighed {
  const isText = typeof value === 'string' || typeof limit === 'string'
  if (!isText) return { ...row, value, limit, why }
  return {
    ...row,
    value: null,
    limit: null,
    said: `${value ?? 'nothing'}, wanted ${limit ?? 'nothing'}`,
    why,
  }
}
