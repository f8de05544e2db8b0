import type { BoardEntry } from '../../../models/answers/board.ts'
import { hasMoved } from '../../../rules/evidence.ts'
import { STATE_WORDS } from '../../../rules/place.ts'
import { RESULT_WORDS } from '../../../rules/result.ts'
import { Badge, type Tone } from '../../components/badge.tsx'
import { type Concern, Panel } from '../../components/panels.tsx'
import { Time, Words } from '../../components/text.tsx'
import { DecideButton } from '../../decide/buttons.tsx'
import { ago, counted } from '../../format.ts'
import { href } from '../../route.ts'
import type { Signal } from '../../signal.ts'
import type { PlaceOnBoard } from './rows.ts'

/** An agent in an environment in one line: what is live, since when, and what is most harmful about it. */
export function Line({
  place: { entry, concerns },
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
        <Chip entry={entry} concern={concerns[0]} />
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
function Chip({ entry, concern }: { entry: BoardEntry; concern: Concern | undefined }) {
  if (concern?.chip !== undefined) return <concern.chip entry={entry} />
  const { place } = entry
  if (concern === undefined || place.state === concern.state) return <Next entry={entry} />
  return (
    <a href={linkOf(place.state, entry)} title={place.headline}>
      <Badge tone="warn">{concern.words}</Badge>
    </a>
  )
}

const TONES: Readonly<Partial<Record<NonNullable<BoardEntry['place']['state']>, Tone>>> = {
  worse: 'bad',
  blocked: 'bad',
  can_promote: 'ok',
  quiet: 'plain',
  watched: 'plain',
}

/** Where a state is seen to. */
function linkOf(state: BoardEntry['place']['state'], entry: BoardEntry): string {
  const { agent_id: agent, environment: env, newest_release: newest } = entry
  if (state === 'awaiting_approval') return href('approvals', { agent })
  if (state === 'no_price') return href('policy', { price_of: newest?.release_id })
  return href('agent', { agent, env })
}

/** What the place's answer says, in few words: all of it, and how old it is, is its title. Nothing where all is quiet. */
function Next({ entry }: { entry: BoardEntry }) {
  const { state, headline, candidate, evaluated_at, outdated } = entry.place
  if (state === 'quiet') return null
  const version = state === 'worse' ? entry.promoted?.version : candidate?.version
  const words = state === null ? 'not evaluated yet' : STATE_WORDS[state]
  const at = evaluated_at === null ? '' : `\nevaluated ${ago(Date.parse(evaluated_at), Date.now())}`
  const since = outdated === true ? '; rules, prices or releases changed since' : ''
  return (
    <a href={linkOf(state, entry)} title={`${headline}${at}${since}`}>
      <Badge tone={state === null ? 'plain' : (TONES[state] ?? 'warn')}>
        <span>
          {version != null && <Words>{version}</Words>} {words}
        </span>
      </Badge>
    </a>
  )
}

/** What is live next to what could be next. */
function diffOf({ agent_id, environment, promoted, place }: BoardEntry): string {
  return href('diff', {
    agent: agent_id,
    env: environment,
    baseline: promoted?.release_id,
    candidate: place.candidate?.release_id,
    window: place.window ?? undefined,
  })
}

/** The same in full: what could be next and what the policy says of it, what was decided last, and what to do. */
export function Details({ place: { entry } }: { place: PlaceOnBoard }) {
  const { agent_id, environment, last_action, pending_requests, place } = entry
  return (
    <div class="place-cell">
      <Live entry={entry} />
      <Panel slot="cell" entry={entry} />
      <span class="next">
        <Next entry={entry} />{' '}
        <span class="faint">
          <Words>{place.headline}</Words>
        </span>{' '}
        {place.candidate !== null && entry.promoted !== null && (
          <a href={diffOf(entry)}>
            Diff with <Words>{place.candidate.version ?? place.candidate.release_id}</Words>
          </a>
        )}
      </span>
      {pending_requests > 0 && (
        <a href={href('approvals', { agent: agent_id })}>
          <Badge tone="warn" icon="waiting">
            {counted(pending_requests, 'request')} pending
          </Badge>
        </a>
      )}
      {last_action?.action === 'rollback' && hasMoved(last_action) && (
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

/** What may be decided here: a promotion of what is next, and the way back. */
function Decide({ entry, look }: { entry: BoardEntry; look: 'words' | 'picture' }) {
  const { agent_id, environment, promoted, place } = entry
  const at = { agent: agent_id, environment, look }
  return (
    <>
      {place.candidate !== null && place.allowed.promote !== null && (
        <DecideButton what="promote" release={place.candidate.release_id} {...at} />
      )}
      {promoted !== null && <DecideButton what="rollback" {...at} />}
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
