import { useState } from 'preact/hooks'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import type { PowerDifference } from '../../models/answers/capabilities.ts'
import { actor } from '../access.ts'
import { callApi } from '../api.ts'
import { Badge } from '../ui/badge.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Reason } from '../ui/field.tsx'
import { Time, Words } from '../ui/text.tsx'
import { draftOf, setDraft } from './open.ts'
import { Whose } from './whose.tsx'
import { counted } from '../format.ts'
import type { Comparing } from '../reads.ts'
import { change, href, param } from '../route.ts'
import { powerWords } from '../../rules/power_words.ts'
import { isWideningReason } from '../../features/capabilities/rules_power.ts'
import { Button } from '../ui/button.tsx'

/** Capabilities that a candidate has and what is live lacks, and the other way round, in words. */
export function Power({
  capabilities,
  place,
  comparing,
}: {
  capabilities: PowerDifference
  place: PlaceAnswer
  comparing: Comparing
}) {
  const { candidate, baseline } = comparing
  const { widened, acknowledged, acknowledged_only_by: only = [] } = capabilities
  const isBlocked = candidate === place.candidate?.release_id && place.reasons.some(isWideningReason)
  // Who wants the promotion may have acknowledged it, which doesn't count then.
  const isPartial =
    place.live?.release_id === baseline && acknowledged !== undefined && only.includes('another')
  const mayMatter = widened > 0 && (isBlocked || isPartial)
  return (
    <section class="capabilities" aria-label="Capabilities">
      <h3>Capabilities</h3>
      <p>
        <Badge tone={widened === 0 ? 'ok' : 'warn'}>{powerWords(capabilities).heading}</Badge>{' '}
        {acknowledged !== undefined && (
          <span>
            <Words>{acknowledged.actor}</Words> acknowledged this <Time at={acknowledged.created_at} />:{' '}
            <Words>{acknowledged.reason}</Words>
          </span>
        )}
      </p>
      <PowerChanges capabilities={capabilities} />
      {mayMatter && (
        <div class="acknowledge">
          <p>
            {stateText(isBlocked, acknowledged !== undefined)} <WhoMay only={only} />
          </p>
          <Button changes onClick={() => change({ acknowledge: candidate })}>
            Acknowledge…
          </Button>
        </div>
      )}
      {widened > 0 && param('acknowledge') === candidate && (
        <AcknowledgeDialog
          key={`${baseline} ${candidate}`}
          capabilities={capabilities}
          place={place}
          comparing={comparing}
        />
      )}
    </section>
  )
}

function stateText(isBlocked: boolean, isAcknowledged: boolean): string {
  if (!isBlocked) return 'That does not count for a promotion by the same person.'
  return isAcknowledged
    ? 'That does not count: the policy blocks a promotion until somebody else acknowledges this.'
    : 'The policy blocks a promotion until somebody acknowledges this.'
}

/** A promotion that is blocked for new capabilities: where to see that, and to acknowledge it. */
export function Blocked({
  reasons,
  agent,
  comparing: { baseline, candidate, environment },
}: {
  reasons: readonly string[]
  agent: string
  comparing: Comparing
}) {
  if (!reasons.some(isWideningReason)) return null
  return (
    <p>
      <a href={href('place', { agent, env: environment, baseline, candidate, acknowledge: candidate })}>
        See the new capabilities, and acknowledge them
      </a>
    </p>
  )
}

/** Acknowledges capabilities of a candidate that the live release lacks; it is in the URL, so that a link opens it. */
function AcknowledgeDialog({
  capabilities,
  place,
  comparing: { baseline, candidate, environment },
}: Parameters<typeof Power>[0]) {
  // What is acknowledged is what is on show, also when something else is read meanwhile.
  const [shown] = useState(capabilities)
  const draft = `acknowledge ${candidate} ${environment}`
  const reason = draftOf(draft)
  const close = (): void => change({ acknowledge: null })

  async function submit(): Promise<void> {
    const body = {
      release_id: candidate,
      environment,
      reason,
      expected_baseline_release_id: baseline,
      ...(actor.value.trim() === '' ? {} : { actor: actor.value.trim() }),
    }
    await callApi({ method: 'POST', path: 'v1/acknowledgements', body })
    setDraft(draft, '')
    close()
  }

  return (
    <Dialog
      title={<Whose what="Acknowledge new capabilities" place={place} from={baseline} to={candidate} />}
      onClose={close}
    >
      <ChangeForm label="Acknowledge" isReady={reason.trim() !== ''} onBack={close} send={submit}>
        <PowerChanges capabilities={shown} />
        <p>
          You accept these capabilities. It holds for every release with the same ones, as long as what is
          live has the same as now. <WhoMay only={shown.acknowledged_only_by ?? []} />
        </p>
        <Reason value={reason} onChange={text => setDraft(draft, text)} />
      </ChangeForm>
    </Dialog>
  )
}

/** What came, is wider, another one, narrower or gone. */
function PowerChanges({
  capabilities: { changes, more_changes: more, unreadable = [] },
}: {
  capabilities: PowerDifference
}) {
  return (
    <>
      <ul class="power">
        {unreadable.map(text => (
          <li key={text}>
            <Badge tone="warn">not known</Badge> <Words>{text}</Words>
          </li>
        ))}
        {changes.map(({ change: what, of, name, widens, words }) => (
          <li key={`${of} ${name} ${what}`}>
            <Badge tone={widens ? 'warn' : 'plain'} icon={widens ? 'warn' : 'info'}>
              {what}
            </Badge>{' '}
            <InCode>{words}</InCode>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="faint">And {counted(more, 'further change')}.</p>}
    </>
  )
}

/** A sentence whose names are between backticks. */
function InCode({ children }: { children: string }) {
  return (
    <bdi class="words">
      {children.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </bdi>
  )
}

/** Who may acknowledge it, where not everybody may. */
function WhoMay({ only }: { only: NonNullable<PowerDifference['acknowledged_only_by']> }) {
  if (only.length === 0) return null
  return (
    <>
      {only.includes('another') &&
        'Somebody other than the person who promotes it must do this (approval_by_another). '}
      {only.includes('people') && 'Only people who have signed in may (approvals.people_only).'}
    </>
  )
}
