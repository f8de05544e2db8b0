import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { Command } from '../ui/text.tsx'
import { openDecision } from './open.ts'
import { change, hereWith, href, param } from '../route.ts'
import { WatchIt } from './watch_reads.tsx'
import { Button } from '../ui/button.tsx'

/** What may be done in a place now, as the service says: one thing first, then the way back, and the rest in a menu. */
export function PlaceActions({ place }: { place: PlaceAnswer }) {
  const { agent_id: agent, environment, live } = place
  return (
    <>
      <Primary place={place} />
      {live?.before != null && (
        <Button
          kind={place.state === 'worse' ? 'danger filled' : 'danger'}
          changes
          onClick={() => openDecision('rollback', agent, environment)}
          icon="back"
        >
          Roll back…
        </Button>
      )}
      <Menu place={place} />
    </>
  )
}

function Primary({ place }: { place: PlaceAnswer }) {
  const { agent_id: agent, environment, candidate, allowed, rollout } = place
  if (allowed.confirm !== null) {
    return (
      <a class="button primary" href={hereWith({ request: allowed.confirm })}>
        Approve {candidate?.version ?? 'it'}…
      </a>
    )
  }
  if (candidate === null) return null
  const version = candidate.version ?? candidate.release_id
  if (allowed.promote !== null) {
    return (
      <Button
        kind="primary"
        changes
        onClick={() =>
          openDecision(
            'promote',
            agent,
            environment,
            candidate.release_id,
            param('window') || (place.window ?? ''),
          )
        }
        icon="up"
      >
        {allowed.promote === 'now' ? `Promote ${version}…` : `Ask for approval of ${version}…`}
      </Button>
    )
  }
  return allowed.rollout && rollout === null ? <StartRollout place={place} /> : null
}

/** A candidate that does not pass may still be tried on a share of the traffic. */
function StartRollout({ place: { agent_id, environment, candidate } }: { place: PlaceAnswer }) {
  if (candidate === null) return null
  return (
    <Button
      changes
      onClick={() =>
        change({
          decide: 'rollout',
          decide_agent: agent_id,
          decide_env: environment,
          decide_release: candidate.release_id,
        })
      }
      icon="steps"
    >
      Start a rollout…
    </Button>
  )
}

/** What is seldom wanted. Leaving it, or choosing something, closes it. */
function Menu({ place }: { place: PlaceAnswer }) {
  const { agent_id: agent, environment, candidate, live, allowed, watch } = place
  const version = candidate?.version ?? candidate?.release_id
  return (
    <details
      class="menu"
      onFocusOut={event => {
        const { currentTarget, relatedTarget } = event
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget))
          currentTarget.open = false
      }}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.currentTarget.open = false
        event.currentTarget.querySelector('summary')!.focus()
      }}
      onClick={event => {
        if (event.target instanceof Element && event.target.closest('a, .menu-item') !== null)
          event.currentTarget.open = false
      }}
    >
      <summary class="button" aria-label="More">
        ⋯
      </summary>
      <div class="menu-body">
        {candidate !== null && (
          <>
            <Command
              text={`svc release promote ${candidate.release_id} --env ${environment}${place.window === null ? '' : ` --window ${place.window}`}`}
            />
            {allowed.promote === null && allowed.confirm === null && (
              <button
                type="button"
                class="menu-item"
                title={allowed.why_not ?? undefined}
                onClick={() => openDecision('promote', agent, environment, candidate.release_id)}
              >
                Record an attempt…
              </button>
            )}
            {allowed.promote !== null && allowed.rollout && <StartRollout place={place} />}
            <a href={hereWith({ release: candidate.release_id })}>Contents of {version}</a>
            <a href={href('runs', { release: candidate.release_id, env: environment })}>Runs of {version}</a>
          </>
        )}
        {live !== null && (
          <>
            <a href={hereWith({ release: live.release_id })}>Contents of {live.version ?? live.release_id}</a>
            <a href={href('runs', { release: live.release_id, env: environment })}>
              Runs of {live.version ?? live.release_id}
            </a>
            {watch === null && live.before !== null && (
              <WatchIt agent={agent} environment={environment} isPlain />
            )}
          </>
        )}
        {watch !== null && <a href={hereWith({ watch: watch.watch_id })}>The watch</a>}
        <a href={hereWith({ sheet: 'evaluations' })}>Evaluations</a>
        <a href={href('log', { agent, env: environment })}>All of the log here</a>
      </div>
    </details>
  )
}
