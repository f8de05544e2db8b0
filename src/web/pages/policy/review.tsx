import { useState } from 'preact/hooks'
import type { Policy } from '../../../models/documents/policy.ts'
import { policyChanges } from '../../../rules/policy_changes.ts'
import { actorHeader, callApi } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Reasons } from '../../components/badge.tsx'
import { ChangeForm } from '../../components/dialog.tsx'
import { Note } from '../../components/note.tsx'
import { Reason } from '../../components/field.tsx'
import { Loaded } from '../../components/states.tsx'
import { get } from '../../query.ts'
import { PolicyChanges } from './changes.tsx'
import { usePolicyTest } from './reads.ts'
import { WhatIf } from './what_if.tsx'

/** What a draft changes, and would have changed, before it is set. */
export function Review({
  from,
  policy,
  isBehind,
  onBack,
  onSet,
}: {
  from: Policy
  policy: Policy
  /** Whether another policy was set since the draft was begun. */
  isBehind: boolean
  onBack: () => void
  onSet: () => void
}) {
  const tried = usePolicyTest(policy)
  const changes = policyChanges(from, policy)
  const [reason, setReason] = useState('')
  const attempting = useAttempt()

  async function set(): Promise<void> {
    const { path } = get('v1/policy', { reason: reason.trim() })
    await callApi({ method: 'PUT', path, body: policy, headers: actorHeader() })
    onSet()
  }

  return (
    <ChangeForm
      label="Set this policy"
      back="Back to the fields"
      isReady={tried.data !== undefined && changes.length > 0 && reason.trim() !== ''}
      attempting={attempting}
      onBack={onBack}
      onSubmit={() => void attempting.attempt(set)}
    >
      {isBehind && (
        <Note>Another policy was set since you began. Below is what yours changes of that one.</Note>
      )}
      <PolicyChanges changes={changes} sides={['In force', 'Yours']} />
      {tried.data !== undefined && tried.data.limits.length > 0 && (
        <>
          <h3>What it lets through</h3>
          <Reasons reasons={tried.data.limits} />
        </>
      )}
      <h3>On past decisions</h3>
      <Loaded known={tried} lines={3}>
        {report => <WhatIf report={report} />}
      </Loaded>
      <Reason label="Why" hint="Kept in the history of policies." value={reason} onChange={setReason} />
    </ChangeForm>
  )
}
