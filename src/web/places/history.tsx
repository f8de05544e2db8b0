import type { PlaceAnswer } from '../../models/deploys/place.ts'
import type { ActionRecord } from '../../models/answers/action.ts'
import { hasMoved } from '../../rules/evidence.ts'
import { RESULT_WORDS } from '../../rules/result.ts'
import { rolloutSentence } from '../../features/rollouts/rules_sentence.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { Section } from '../components/page.tsx'
import { ExactTime, Words } from '../components/text.tsx'
import { useActions, useNames } from '../reads.ts'
import { hereWith, href } from '../route.ts'
import { useRollouts } from './rollout_reads.ts'
import { useWatches } from './watch_reads.tsx'

interface Happened {
  readonly key: string
  readonly at: string
  readonly icon: IconName
  readonly tone: string
  readonly text: string
  readonly by: string
  readonly why: string
  readonly link: string
}

/** Most entries at once; the ledger has them all. */
const MOST = 20

/** What happened here, newest first: decisions, rollouts and watches. */
export function History({ place: { agent_id: agent, environment: env } }: { place: PlaceAnswer }) {
  const name = useNames()
  const actions = useActions({ agent, env, limit: MOST }).data?.actions
  const rollouts = useRollouts({ agent, env }).data?.rollouts ?? []
  const watches = useWatches({ agent, env }).data?.watches ?? []
  const all = [
    ...(actions ?? []).map(action => ofAction(action, name)),
    ...rollouts.map((rollout): Happened => ({
      key: rollout.rollout_id,
      at: rollout.started_at,
      icon: 'steps',
      tone: rollout.state === 'aborted' ? 'bad' : 'plain',
      text: rolloutSentence(rollout, name, Date.now()),
      by: rollout.started_by,
      why: rollout.reason,
      link: hereWith({ rollout: rollout.rollout_id }),
    })),
    ...watches.map((watch): Happened => ({
      key: watch.watch_id,
      at: watch.started_at,
      icon: 'eye',
      tone: watch.state === 'regressed' || watch.state === 'rolled_back' ? 'bad' : 'plain',
      text: `watch of ${name(watch.release_id)}: ${watch.state.replaceAll('_', ' ')}`,
      by: watch.started_by,
      why: watch.ended_because ?? '',
      link: hereWith({ watch: watch.watch_id }),
    })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  return (
    <Section title="History" aside={<a href={href('ledger', { agent, env })}>All decisions here</a>}>
      {all.length === 0 ? (
        <p class="faint">{actions === undefined ? 'Reading…' : 'Nothing was decided here yet.'}</p>
      ) : (
        <ol class="history" aria-label="What happened">
          {all.slice(0, MOST).map(({ key, at, icon, tone, text, by, why, link }) => (
            <li key={key} class={tone}>
              <ExactTime at={at} short />
              <Icon name={icon} size={14} />
              <a href={link}>
                <Words>{text}</Words>
              </a>
              <span class="faint">
                <Words>{by}</Words>
                {why !== '' && (
                  <>
                    : <Words>{why}</Words>
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

function ofAction(action: ActionRecord, name: (id: string) => string): Happened {
  const { action_id, created_at, release_id, baseline_release_id: before, result, actor, reason } = action
  const moved = hasMoved(action)
  const what = action.action === 'promote' ? 'promotion' : 'rollback'
  const from = moved && before !== null && before !== release_id ? `${name(before)} → ` : ''
  return {
    key: action_id,
    at: created_at,
    icon: moved ? (action.action === 'promote' ? 'up' : 'back') : 'block',
    tone: moved ? (action.action === 'promote' ? 'ok' : 'warn') : 'bad',
    text: `${from}${name(release_id)}: ${result === 'first' ? RESULT_WORDS.first : `${what} ${RESULT_WORDS[result]}`}`,
    by: actor,
    why: reason,
    link: href('ledger', { action: action_id }),
  }
}
