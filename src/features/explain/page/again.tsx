import { useState } from 'preact/hooks'
import type { ActionDetail } from '../../../models/answers/action.ts'
import type { ExplainedLimit, Explanation } from '../../../models/answers/explanation.ts'
import type { PolicyHistory } from '../../../models/answers/history.ts'
import { Badge, PassedBadge, Reasons } from '../../../web/components/badge.tsx'
import { Select } from '../../../web/components/field.tsx'
import { Forest, type Weighed } from '../../../web/components/forest.tsx'
import { Loaded } from '../../../web/components/states.tsx'
import { counted } from '../../../web/format.ts'
import { type Known, get, useRead } from '../../../web/query.ts'
import { ONCE_MS, usePolicy } from '../../../web/reads.ts'

const RECORDED = 'the policy of the record'
const PRESENT = 'the policy in force now'

/** Decides a recorded action again from its evidence, limit by limit: by its own policy, or by another. */
export function Again({ action: { action_id, evidence } }: { action: ActionDetail }) {
  const [by, setBy] = useState(RECORDED)
  const policies = usePolicies()
  if (evidence === null) return null
  const policy = policies.get(by)
  return (
    <>
      <h3>Limit by limit</h3>
      <div class="again">
        <Select
          label="Decide again by"
          value={by}
          onChange={setBy}
          options={[RECORDED, ...policies.keys()]}
        />
      </div>
      <Loaded known={useExplanation(action_id, policy)} lines={5}>
        {explanation => <Explained explanation={explanation} />}
      </Loaded>
    </>
  )
}

/** What can be decided by, by name: what is in force, and what was. */
function usePolicies(): ReadonlyMap<string, object> {
  const present = usePolicy().data
  const past = useRead<PolicyHistory>(get('v1/policy/history', { limit: 20 }), ONCE_MS).data?.policies ?? []
  return new Map([
    ...(present === undefined ? [] : [[PRESENT, present] as const]),
    ...past.map(({ policy_id, seq, policy }) => [`${policy_id}@${seq}`, policy] as const),
  ])
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
          <PassedBadge passed={replayed.passed} />
        )}{' '}
        {equal ? 'as on record' : `on record: ${recorded.passed ? 'passed' : 'blocked'}`}
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
