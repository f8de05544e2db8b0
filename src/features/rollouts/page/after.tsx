import type { RolloutDetail } from '../../../models/answers/rollout.ts'
import { Section } from '../../../web/components/page.tsx'
import { Panel } from '../../../web/components/panels.tsx'
import { ReleaseId } from '../../../web/components/place.tsx'
import { ExactTime, Words } from '../../../web/components/text.tsx'
import { usePlace } from '../../../web/reads.ts'
import { href } from '../../../web/route.ts'
import { useNames } from './reads.ts'
import { StartButton } from './start_button.tsx'

/** What followed, and what is to be done now. */
export function AfterEnd({ rollout }: { rollout: RolloutDetail }) {
  const { agent_id, environment, candidate_release_id: candidate, baseline_release_id: baseline } = rollout
  const { state, ended_at, step, steps } = rollout
  const name = useNames()
  const live = usePlace(agent_id, environment)?.promoted
  const isBack = state !== 'completed' && live?.release_id === baseline
  const last = steps[Math.min(step, steps.length - 1)]!
  const diff = {
    agent: agent_id,
    env: environment,
    baseline,
    candidate,
    until: ended_at ?? '',
    ...(last.started_at === null || ended_at === null
      ? {}
      : { window: minutesBetween(last.started_at, ended_at) }),
  }
  return (
    <Section title="What now">
      {isBack && (
        <p>
          Nothing has to be rolled back: <Words>{name(baseline)}</Words> was live all the time, and all
          programs serve it from a minute after <ExactTime at={ended_at!} /> on, when the last lease of the
          split was over.
        </p>
      )}
      {live != null && !isBack && (
        <p>
          Live now is <ReleaseId id={live.release_id} />
        </p>
      )}
      <p class="actions">
        <a class="button" href={href('diff', diff)}>
          See the diff of the last step
        </a>
        <StartButton agent={agent_id} environment={environment} release={candidate} />
      </p>
      {(state === 'aborted' || state === 'expired') && (
        <Panel slot="informed" event={`rollout.${state}`} field="rollout_id" id={rollout.rollout_id} />
      )}
    </Section>
  )
}

function minutesBetween(from: string, to: string): string {
  return `${Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / 60_000))}m`
}
