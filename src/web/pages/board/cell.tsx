import type { BoardEntry } from '../../../models/answers/board.ts'
import { isAboutConfidence } from '../../../rules/policy.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Time, Words } from '../../components/text.tsx'
import { DecideButton } from '../../decide/buttons.tsx'
import { counted } from '../../format.ts'
import { useDiff } from '../../reads.ts'
import { href } from '../../route.ts'
import { overallVerdict } from '../../components/change.ts'
import { candidateOf, isBlocked } from './rows.ts'

/** An agent in an environment: what is live, what could be next and what the policy says of it, what was decided last. */
export function Cell({ entry }: { entry: BoardEntry }) {
  const { agent_id, environment, promoted, last_action, pending_requests } = entry
  const candidate = candidateOf(entry)
  return (
    <div class="place-cell">
      <Live entry={entry} />
      {candidate !== null && <Candidate entry={entry} candidate={candidate} />}
      <RolledBack entry={entry} />
      {pending_requests > 0 && (
        <a href={href('approvals', { agent: agent_id })}>
          <Badge tone="warn" icon="waiting">
            {counted(pending_requests, 'request')} pending
          </Badge>
        </a>
      )}
      {last_action !== null && isBlocked(last_action) && (
        <a href={href('ledger', { action: last_action.action_id })}>
          <Badge tone="bad">
            {last_action.action === 'promote' ? 'Promotion' : 'Rollback'} blocked{' '}
            <Time at={last_action.created_at} />
          </Badge>
        </a>
      )}
      {last_action?.action === 'rollback' && !isBlocked(last_action) && (
        <a class="faint" href={href('ledger', { action: last_action.action_id })}>
          Rollback {last_action.forced === true ? 'forced' : 'passed'} <Time at={last_action.created_at} />
        </a>
      )}
      <div class="cell-actions">
        {(promoted === null || candidate !== null) && (
          <DecideButton
            what="promote"
            agent={agent_id}
            environment={environment}
            release={candidate?.release_id ?? ''}
            quiet
          />
        )}
        {promoted !== null && (
          <DecideButton what="rollback" agent={agent_id} environment={environment} quiet />
        )}
      </div>
    </div>
  )
}

function Live({ entry: { promoted } }: { entry: BoardEntry }) {
  if (promoted === null) return <span class="faint">nothing promoted yet</span>
  const { release_id, version, promoted_at, promoted_by, reason, undecidable } = promoted
  return (
    <span class="live">
      <a class="version" href={href('release', { id: release_id })} title={release_id}>
        <Words>{version ?? 'not registered'}</Words>
      </a>
      {promoted_at !== null && (
        <span class="faint">
          <Time at={promoted_at} /> by <Words>{promoted_by}</Words>
        </span>
      )}
      {reason !== null && reason !== '' && (
        <span class="why faint" title={reason}>
          <Words>{reason}</Words>
        </span>
      )}
      <Undecidable known={undecidable} />
    </span>
  )
}

type Known = NonNullable<BoardEntry['promoted']>['undecidable']

/** What bars a promotion, a gate and a rollback: runs of another agent, or without a price. */
function Undecidable({ known }: { known: Known }) {
  if (known === undefined) return null
  return (
    <span title={known.because}>
      <Badge tone="warn">
        can't be decided on since <Time at={known.since} />
      </Badge>
    </span>
  )
}

function Candidate({
  entry: { agent_id, environment, promoted },
  candidate,
}: {
  entry: BoardEntry
  candidate: NonNullable<BoardEntry['newest_release']>
}) {
  const { release_id, version, created_at, unpriced, undecidable } = candidate
  if (promoted === null) {
    return (
      <span class="faint">
        first could be{' '}
        <a href={href('release', { id: release_id })}>
          <Words>{version}</Words>
        </a>
      </span>
    )
  }
  const link = href('diff', {
    agent: agent_id,
    env: environment,
    baseline: promoted.release_id,
    candidate: release_id,
  })
  return (
    <span class="next">
      <a href={link}>
        Diff with <Words>{version}</Words>
      </a>{' '}
      {unpriced === true ? (
        <a href={href('policy')}>
          <Badge tone="warn">no prices</Badge>
        </a>
      ) : (
        <Verdict baseline={promoted.release_id} candidate={release_id} environment={environment} />
      )}{' '}
      <Undecidable known={undecidable} />{' '}
      <span class="faint">
        registered <Time at={created_at} />
      </span>
    </span>
  )
}

const WORDS = {
  worse: ['warn', 'passes, but worse'],
  better: ['ok', 'passes, better'],
  no_difference: ['ok', 'passes, no difference'],
  inconclusive: ['plain', 'passes, not enough evidence'],
} as const satisfies Readonly<Record<string, readonly [Tone, string]>>

/** What the last day says of a candidate compared with what is live. */
function Verdict(sides: { baseline: string; candidate: string; environment: string }) {
  const { data, error } = useDiff({ ...sides, window: '24h' }, { everyMs: 120_000 })
  if (error !== undefined && data === undefined) {
    return (
      <span title={error.message}>
        <Badge tone="plain">can't be compared</Badge>
      </span>
    )
  }
  if (data === undefined) return null
  const { policy, statistics } = data
  if (!policy.passed) {
    const isUnsure = policy.reasons.every(isAboutConfidence)
    return (
      <Badge tone={isUnsure ? 'plain' : 'bad'}>
        {isUnsure ? 'too few runs yet' : `would be blocked: ${counted(policy.reasons.length, 'reason')}`}
      </Badge>
    )
  }
  const [tone, words] = WORDS[overallVerdict(statistics)]
  return <Badge tone={tone}>{words}</Badge>
}

/** What is newest but was taken back is no proposal. */
function RolledBack({ entry: { newest_release } }: { entry: BoardEntry }) {
  if (newest_release?.rolled_back_at === undefined) return null
  return (
    <span class="faint">
      <a href={href('release', { id: newest_release.release_id })}>
        <Words>{newest_release.version}</Words>
      </a>{' '}
      was rolled back <Time at={newest_release.rolled_back_at} />
    </span>
  )
}
