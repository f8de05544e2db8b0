import type { BoardEntry } from '../../../models/answers/board.ts'
import { RESULT_WORDS } from '../../../rules/result.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { type Concern, Panel } from '../../components/panels.tsx'
import { Time, Words } from '../../components/text.tsx'
import { VerdictChip } from '../../components/verdict.tsx'
import { DecideButton } from '../../decide/buttons.tsx'
import { counted } from '../../format.ts'
import { href } from '../../route.ts'
import type { Signal } from '../../signal.ts'
import { type Outlook, candidateOf } from './outlook.ts'
import { type PlaceOnBoard, isBlocked } from './rows.ts'

/** An agent in an environment in one line: what is live, since when, and what is most harmful about it. */
export function Line({
  place: { entry, outlook, concerns },
  isUsed,
}: {
  place: PlaceOnBoard
  /** Whether the pointer or the focus is on its row: what can be done is there then. */
  isUsed: Signal<boolean>
}) {
  const { promoted } = entry
  return (
    <span class="line">
      {promoted === null ? (
        <span class="faint">nothing live</span>
      ) : (
        <>
          <a class="version" href={href('release', { id: promoted.release_id })} title={promoted.release_id}>
            <Words clip>{promoted.version ?? 'not registered'}</Words>
          </a>
          {promoted.promoted_at !== null && (
            <span class="faint" title={`by ${promoted.promoted_by}: ${promoted.reason ?? ''}`}>
              <Time at={promoted.promoted_at} />
            </span>
          )}
        </>
      )}
      {concerns.slice(1).map(({ words, mark: Mark }) => Mark && <Mark key={words} entry={entry} />)}
      <span class="chips">
        <Chip entry={entry} concern={concerns[0]} outlook={outlook} />
      </span>
      <WhileUsed entry={entry} isUsed={isUsed} />
    </span>
  )
}

/** A component of its own, so that the rest of the line stays as it is when the pointer or the focus moves on. */
function WhileUsed({ entry, isUsed }: { entry: BoardEntry; isUsed: Signal<boolean> }) {
  return isUsed.value ? <Decide entry={entry} look="picture" /> : null
}

/** What is most harmful; without anything what could be next. */
function Chip({
  entry,
  concern,
  outlook,
}: {
  entry: BoardEntry
  concern: Concern | undefined
  outlook: Outlook | undefined
}) {
  if (concern === undefined) {
    return entry.promoted !== null && outlook !== undefined ? <Next outlook={outlook} /> : null
  }
  if (concern.chip !== undefined) return <concern.chip entry={entry} />
  return (
    <a href={linkOf(concern, entry)}>
      <Badge tone={TONES[concern.harm] ?? 'warn'}>{concern.words}</Badge>
    </a>
  )
}

const TONES: Readonly<Partial<Record<Concern['harm'], Tone>>> = { regresses: 'bad', 'blocked next': 'bad' }

/** Where a concern of the board is seen to. */
function linkOf({ harm }: Concern, entry: BoardEntry): string {
  const { agent_id, last_action } = entry
  if (harm === 'waits') return href('approvals', { agent: agent_id })
  if (harm === 'unpriced') return href('policy', { price_of: entry.newest_release?.release_id })
  if (harm === 'was blocked' && last_action !== null) return href('ledger', { action: last_action.action_id })
  return diffOf(entry)
}

/** What is live next to what could be next. */
function diffOf({ agent_id, environment, promoted, newest_release }: BoardEntry): string {
  return href('diff', {
    agent: agent_id,
    env: environment,
    baseline: promoted?.release_id,
    candidate: newest_release?.release_id,
  })
}

/** The same in full: what could be next and what the policy says of it, what was decided last, and what to do. */
export function Details({ place: { entry, outlook } }: { place: PlaceOnBoard }) {
  const { agent_id, environment, last_action, pending_requests } = entry
  const candidate = candidateOf(entry)
  return (
    <div class="place-cell">
      <Live entry={entry} />
      <Panel slot="cell" entry={entry} />
      {candidate !== null && <Candidate entry={entry} candidate={candidate} outlook={outlook} />}
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
          <Badge tone={last_action.result === 'not_yet' ? 'warn' : 'bad'}>
            {last_action.action === 'promote' ? 'Promotion' : 'Rollback'} {RESULT_WORDS[last_action.result]}{' '}
            <Time at={last_action.created_at} />
          </Badge>
        </a>
      )}
      {last_action?.action === 'rollback' && !isBlocked(last_action) && (
        <a class="faint" href={href('ledger', { action: last_action.action_id })}>
          Rollback {RESULT_WORDS[last_action.result]} <Time at={last_action.created_at} />
        </a>
      )}
      <div class="cell-actions">
        <a class="button small" href={href('agent', { agent: agent_id, env: environment })}>
          Timeline
        </a>
        <Decide entry={entry} look="words" />
      </div>
    </div>
  )
}

/** What can be decided here: a promotion of what could be next, and the way back. */
function Decide({ entry, look }: { entry: BoardEntry; look: 'words' | 'picture' }) {
  const { agent_id, environment, promoted } = entry
  const candidate = candidateOf(entry)
  const place = { agent: agent_id, environment, look }
  return (
    <>
      {(promoted === null || candidate !== null) && (
        <DecideButton what="promote" release={candidate?.release_id ?? ''} {...place} />
      )}
      {promoted !== null && <DecideButton what="rollback" {...place} />}
    </>
  )
}

function Live({ entry: { promoted } }: { entry: BoardEntry }) {
  if (promoted === null) return <span class="faint">nothing live</span>
  const { release_id, version, promoted_at, promoted_by, reason, unusable } = promoted
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
      <Unusable known={unusable} />
    </span>
  )
}

type Known = NonNullable<BoardEntry['promoted']>['unusable']

/** What bars a promotion, a gate and a rollback: runs of another agent, or without a price. */
function Unusable({ known }: { known: Known }) {
  if (known === undefined) return null
  return (
    <span class="stack">
      <Badge tone="warn">
        can't be decided on since <Time at={known.since} />
      </Badge>
      <span class="faint">
        <Words>{known.because}</Words>
      </span>
    </span>
  )
}

function Candidate({
  entry,
  candidate,
  outlook,
}: {
  entry: BoardEntry
  candidate: NonNullable<BoardEntry['newest_release']>
  outlook: Outlook | undefined
}) {
  const { promoted } = entry
  const { release_id, version, created_at, unpriced, unusable } = candidate
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
  return (
    <span class="next">
      <a href={diffOf(entry)}>
        Diff with <Words>{version}</Words>
      </a>{' '}
      {unpriced === true ? (
        <a href={href('policy', { price_of: release_id })}>
          <Badge tone="warn">no prices</Badge>
        </a>
      ) : (
        outlook !== undefined && <Next outlook={outlook} />
      )}{' '}
      <Unusable known={unusable} />{' '}
      <span class="faint">
        registered <Time at={created_at} />
      </span>
    </span>
  )
}

/** What a promotion of what is next would come to now. */
function Next({ outlook: { policy, statistics, problem, window } }: { outlook: Outlook }) {
  return (
    <span title={problem ?? `over ${window}`}>
      {policy === undefined ? (
        <Badge tone="plain">can't be compared</Badge>
      ) : (
        <VerdictChip policy={policy} statistics={statistics} />
      )}
    </span>
  )
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
