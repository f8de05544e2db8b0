import { jsonOf } from '../../../base/text.ts'
import type { RolloutDetail } from '../../../models/answers/rollout.ts'
import type { Delivery } from '../../../models/answers/webhook.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Section } from '../../../web/components/page.tsx'
import { ReleaseId } from '../../../web/components/place.tsx'
import { ExactTime, Words } from '../../../web/components/text.tsx'
import { get, useRead } from '../../../web/query.ts'
import { usePlace, useWebhooks } from '../../../web/reads.ts'
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
      {(state === 'aborted' || state === 'expired') && <Informed rollout={rollout} />}
    </Section>
  )
}

function minutesBetween(from: string, to: string): string {
  return `${Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / 60_000))}m`
}

/** Who was informed, and when: deliveries are for administrators to see. */
function Informed({ rollout: { rollout_id, state } }: { rollout: RolloutDetail }) {
  const sent = useRead<{ deliveries: Delivery[] }>(
    get('v1/webhook-deliveries', { limit: 200, payload: 'true' }),
  )
  const webhooks = useWebhooks().data?.webhooks
  if (sent.error !== undefined) {
    return <p class="faint">Who was informed is for administrators to see.</p>
  }
  if (sent.data === undefined) return null
  const mine = sent.data.deliveries.filter(
    ({ event, payload }) => event === `rollout.${state}` && subjectOf(payload) === rollout_id,
  )
  return (
    <>
      <h3>Who was informed</h3>
      {mine.length === 0 ? (
        <p>
          Nobody by webhook or chat. <a href={href('webhooks')}>Add one</a> for rollout.{state}.
        </p>
      ) : (
        <ul class="reasons" aria-label="Who was informed">
          {mine.map(({ delivery_id, webhook_id, status, last_attempt_at }) => (
            <li key={delivery_id}>
              <a href={href('webhooks', { webhook: webhook_id })}>
                <Words>
                  {webhooks?.find(webhook => webhook.webhook_id === webhook_id)?.url ?? webhook_id}
                </Words>
              </a>{' '}
              <Badge tone={status === 'delivered' ? 'ok' : status === 'failed' ? 'bad' : 'warn'}>
                {status}
              </Badge>{' '}
              {last_attempt_at !== null && <ExactTime at={last_attempt_at} />}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function subjectOf(payload = ''): unknown {
  return (jsonOf(payload) as { data?: { rollout_id?: unknown } } | undefined)?.data?.rollout_id
}
