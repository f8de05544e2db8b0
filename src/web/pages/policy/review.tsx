import { useState } from 'preact/hooks'
import type { Policy } from '../../../models/documents/policy.ts'
import { policyChanges } from '../../../rules/history/policy_changes.ts'
import { isNameless, whyNoChanges } from '../../access.ts'
import { actorHeader } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { ActorField } from '../../components/actor_field.tsx'
import { ChangesOff } from '../../components/changes_off.tsx'
import { Failure } from '../../components/failure.tsx'
import { Reason } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
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
  const { problem, isSending, send } = useAttempt()
  const off = whyNoChanges.value

  function set(): void {
    const { path } = get('v1/policy', { reason: reason.trim() })
    void send({ method: 'PUT', path, body: policy, headers: actorHeader() }, onSet)
  }

  return (
    <form
      class="decision"
      onSubmit={event => {
        event.preventDefault()
        set()
      }}
    >
      {isBehind && (
        <p class="note warn">
          <Icon name="warn" />
          <span>Another policy was set since you began. Below is what yours changes of that one.</span>
        </p>
      )}
      <PolicyChanges changes={changes} sides={['In force', 'Yours']} />
      <h3>On past decisions</h3>
      <Loaded known={tried} lines={3}>
        {report => <WhatIf report={report} />}
      </Loaded>
      <Reason label="Why" hint="Kept in the history of policies." value={reason} onChange={setReason} />
      <ActorField label="Your name" />
      <Failure message={problem} />
      <ChangesOff />
      <footer>
        <button type="button" class="button" onClick={onBack}>
          Back to the fields
        </button>
        <button
          type="submit"
          class="button primary"
          disabled={
            isSending ||
            tried.data === undefined ||
            changes.length === 0 ||
            reason.trim() === '' ||
            isNameless() ||
            off !== undefined
          }
        >
          Set this policy
        </button>
      </footer>
    </form>
  )
}
