import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { rolloutSentence } from '../../features/rollouts/rules_sentence.ts'
import { Section } from '../ui/page.tsx'
import { HappenedList } from '../log/happened.tsx'
import { type Happened, ofAction } from '../log/rows.ts'
import { useActions, useNames } from '../reads.ts'
import { hereWith, href } from '../route.ts'
import { useRollouts } from './rollout_reads.ts'
import { useWatches } from './watch_reads.tsx'

/** Most entries at once; the log has them all. */
const MOST = 20

/** What happened here, newest first: decisions, rollouts and watches. */
export function History({ place: { agent_id: agent, environment: env } }: { place: PlaceAnswer }) {
  const name = useNames()
  const actions = useActions({ agent, env, limit: MOST }).data?.actions
  const rollouts = useRollouts({ agent, env }).data?.rollouts ?? []
  const watches = useWatches({ agent, env }).data?.watches ?? []
  const all = [
    ...(actions ?? []).map(action => ({
      ...ofAction(action, name),
      link: href('log', { action: action.action_id }),
    })),
    ...rollouts.map((rollout): Happened => ({
      key: rollout.rollout_id,
      at: rollout.started_at,
      icon: 'steps',
      tone: rollout.state === 'aborted' ? 'bad' : 'plain',
      what: 'Rollout',
      of: rolloutSentence(rollout, name, Date.now()),
      place: rollout,
      subject: rollout.rollout_id,
      by: rollout.started_by,
      why: rollout.reason,
      link: hereWith({ rollout: rollout.rollout_id }),
    })),
    ...watches.map((watch): Happened => ({
      key: watch.watch_id,
      at: watch.started_at,
      icon: 'eye',
      tone: watch.state === 'regressed' || watch.state === 'rolled_back' ? 'bad' : 'plain',
      what: 'Watch',
      of: `${name(watch.release_id)}: ${watch.state.replaceAll('_', ' ')}`,
      place: watch,
      subject: watch.watch_id,
      by: watch.started_by,
      why: watch.ended_because ?? '',
      link: hereWith({ watch: watch.watch_id }),
    })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  return (
    <Section title="History" aside={<a href={href('log', { agent, env })}>All of the log here</a>}>
      {all.length === 0 ? (
        <p class="faint">{actions === undefined ? 'Reading…' : 'Nothing was decided here yet.'}</p>
      ) : (
        <HappenedList label="What happened" rows={all.slice(0, MOST)} isOfOnePlace />
      )}
    </Section>
  )
}
