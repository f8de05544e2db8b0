import { RESULT_WORDS, resultOf } from '../../rules/result.ts'
import { useState } from 'preact/hooks'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Explanation } from '../../features/explain/models.ts'
import { Badge, ResultBadge, Reasons } from '../ui/badge.tsx'
import { Select } from '../ui/field.tsx'
import { Forest, type Weighed } from '../ui/forest.tsx'
import { counted } from '../format.ts'
import { Loaded } from '../ui/states.tsx'
import { type Known, get, useRead } from '../query.ts'
import { ONCE_MS, usePolicy } from '../reads.ts'

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

export function useExplanation(actionId: string, policy?: object): Known<Explanation> {
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
