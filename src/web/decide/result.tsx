import { useEffect, useRef } from 'preact/hooks'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { MissingRuns, Reasons } from '../components/badge.tsx'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/panels.tsx'
import { ReleaseId } from '../components/place.tsx'
import { Id, Words } from '../components/text.tsx'
import type { Comparing } from '../reads.ts'
import { href } from '../route.ts'
import type { Deciding } from './open.ts'
import { Missing } from './preview.tsx'
import type { Attempt } from './send.ts'

/** What became of it, and where it is written. */
export function Result({
  attempt,
  what,
  agent,
  comparing,
  onDone,
}: {
  attempt: Attempt
  what: Deciding | 'confirm'
  agent: string
  comparing: Comparing
  onDone: () => void
}) {
  const done = useRef<HTMLButtonElement>(null)
  useEffect(() => done.current?.focus(), [])
  const { passed, title } = summary(attempt, what)
  const { reasons = [] } = policyOf(attempt) ?? {}
  return (
    <div class="result" role="status">
      <p class={`verdict-line ${passed ? 'ok' : 'bad'}`}>
        <Icon name={passed ? 'pass' : 'block'} size={20} />
        <strong>{title}</strong>
      </p>
      <Details attempt={attempt} />
      {reasons.length > 0 && <Panel slot="blocked" reasons={reasons} agent={agent} comparing={comparing} />}
      <footer>
        <button type="button" class="button primary" ref={done} onClick={onDone}>
          Done
        </button>
      </footer>
    </div>
  )
}

function policyOf(attempt: Attempt): PolicyVerdict | undefined {
  if (attempt.kind === 'requested') return undefined
  return attempt.kind === 'refused' ? attempt.policy : attempt.outcome.policy
}

function summary(attempt: Attempt, what: Deciding | 'confirm'): { passed: boolean; title: string } {
  if (attempt.kind === 'requested' && what === 'confirm')
    return { passed: true, title: 'Approved: it waits for others to approve it too' }
  if (attempt.kind === 'requested') return { passed: true, title: 'Requested: it waits for a confirmation' }
  if (attempt.kind === 'refused') return { passed: false, title: 'Blocked by policy: no request was made' }
  const { policy, promoted_pointer_changed } = attempt.outcome
  if (!policy.passed) return { passed: false, title: 'Blocked by policy: nothing has moved' }
  if (!promoted_pointer_changed) return { passed: true, title: 'Recorded; that release was live already' }
  return { passed: true, title: what === 'rollback' ? 'Rolled back' : 'Promoted' }
}

/** What the policy said, and what would decide it. */
function Said({ policy: { reasons, warnings, missing_evidence } }: { policy: PolicyVerdict }) {
  return (
    <>
      <Reasons reasons={reasons} warnings={warnings} />
      <MissingRuns missing={missing_evidence} />
    </>
  )
}

function Details({ attempt }: { attempt: Attempt }) {
  if (attempt.kind === 'refused') return <Said policy={attempt.policy} />
  if (attempt.kind === 'requested') {
    const { request_id } = attempt.request
    return (
      <p>
        Request <Id value={request_id} link={href('approvals', { request: request_id })} />
      </p>
    )
  }
  const { outcome } = attempt
  return (
    <>
      <Said policy={outcome.policy} />
      {outcome.missing_for_high !== undefined && <Missing missing={outcome.missing_for_high} />}
      <p>
        {outcome.promoted_pointer_changed && outcome.baseline_version != null && (
          <>
            <Words>{outcome.baseline_version}</Words> →{' '}
          </>
        )}
        <ReleaseId id={outcome.release_id} /> in <bdi>{outcome.environment}</bdi>
        {outcome.action_id !== null && (
          <>
            , on record as{' '}
            <Id value={outcome.action_id} link={href('ledger', { action: outcome.action_id })} />
          </>
        )}
      </p>
    </>
  )
}
