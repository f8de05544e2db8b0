import { useEffect, useRef } from 'preact/hooks'
import type { Outcome } from '../../models/answers/decision.ts'
import { judged } from '../../rules/verdict_words.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { MissingRuns, Reasons } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { ReleaseId } from '../ui/place.tsx'
import { Id, Words } from '../ui/text.tsx'
import { type Comparing, useNames } from '../reads.ts'
import { href } from '../route.ts'
import type { Deciding } from './open.ts'
import { Blocked } from './power.tsx'
import { Missing } from './preview.tsx'
import type { Attempt } from './send.ts'
import { WatchIt } from './watch_reads.tsx'
import { Button } from '../ui/button.tsx'

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
  const name = useNames()
  const title = useRef<HTMLParagraphElement>(null)
  useEffect(() => title.current?.focus(), [])
  const { passed, title: words } = summary(attempt, what)
  const moved = movedBy(attempt)
  const { reasons = [] } = policyOf(attempt) ?? {}
  return (
    <div class="result" role="status">
      <p class={`verdict-line ${passed ? 'ok' : 'bad'}`} ref={title} tabIndex={-1}>
        <Icon name={passed ? 'pass' : 'block'} size={20} />
        <strong>{words}</strong>
        {moved?.baseline_version != null && (
          <span class="figures">
            <Words>{moved.baseline_version}</Words> → <Words>{name(moved.release_id)}</Words>
          </span>
        )}
      </p>
      <Details attempt={attempt} />
      {reasons.length > 0 && <Blocked reasons={reasons} agent={agent} comparing={comparing} />}
      <footer>
        {moved !== undefined && what !== 'rollback' && (
          <WatchIt agent={agent} environment={moved.environment} />
        )}
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </footer>
    </div>
  )
}

/** What moved the pointer. */
function movedBy(attempt: Attempt): Outcome | undefined {
  return attempt.kind === 'decided' && attempt.outcome.promoted_pointer_changed ? attempt.outcome : undefined
}

function policyOf(attempt: Attempt): PolicyVerdict | undefined {
  if (attempt.kind === 'requested') return undefined
  return attempt.kind === 'refused' ? attempt.policy : attempt.outcome.policy
}

function summary(attempt: Attempt, what: Deciding | 'confirm'): { passed: boolean; title: string } {
  if (attempt.kind === 'requested' && what === 'confirm')
    return { passed: true, title: 'Approved: it waits for others to approve it too' }
  if (attempt.kind === 'requested') return { passed: true, title: 'Requested: it waits for a confirmation' }
  if (attempt.kind === 'refused')
    return { passed: false, title: `${judged(attempt.policy, undefined).title}: no request was made` }
  const { policy, promoted_pointer_changed } = attempt.outcome
  if (policy.result === 'forced') return { passed: true, title: 'Rolled back, past the policy' }
  if (policy.result === 'not_yet')
    return { passed: false, title: 'Not yet: too little evidence, so nothing has moved' }
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
    const { request_id, warnings } = attempt.request
    return (
      <>
        <Reasons reasons={[]} warnings={warnings} />
        <p>
          Request <Id value={request_id} link={href('place', { request: request_id })} />
        </p>
      </>
    )
  }
  const { outcome } = attempt
  return (
    <>
      <Said policy={outcome.policy} />
      <Reasons reasons={[]} warnings={outcome.warnings} />
      {outcome.missing_for_high !== undefined && <Missing missing={outcome.missing_for_high} />}
      <p>
        <ReleaseId id={outcome.release_id} /> in <bdi>{outcome.environment}</bdi>
        {outcome.action_id !== null && (
          <>
            , on record as <Id value={outcome.action_id} link={href('log', { action: outcome.action_id })} />
          </>
        )}
      </p>
    </>
  )
}
