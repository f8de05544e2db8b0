import { useEffect, useRef, useState } from 'preact/hooks'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { Acknowledgement } from '../../features/capabilities/models.ts'
import type { PowerDifference } from '../../models/answers/capabilities.ts'
import { actor, whyNoChanges } from '../access.ts'
import { callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Badge } from '../ui/badge.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Reason } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Id, Time, Words } from '../ui/text.tsx'
import { draftOf, openDecision, setDraft } from './open.ts'
import { Whose } from './whose.tsx'
import { counted } from '../format.ts'
import { get, useRead } from '../query.ts'
import { type Comparing, useBoard, useRelease } from '../reads.ts'
import { change, href, param } from '../route.ts'
import { powerWords } from '../../rules/power_words.ts'
import { isWideningReason } from '../../features/capabilities/rules_power.ts'

/** Capabilities that a candidate has and the baseline lacks, and the other way round, in words. */
export function Power({ report: { capabilities }, comparing }: { report: DiffReport; comparing: Comparing }) {
  return capabilities === undefined ? null : <Differs capabilities={capabilities} comparing={comparing} />
}

function Differs({ capabilities, comparing }: { capabilities: PowerDifference; comparing: Comparing }) {
  const { candidate, baseline, environment } = comparing
  const { widened, acknowledged, acknowledged_only_by: only = [] } = capabilities
  const agent = useAgentLive(comparing)
  const isBlocked = useIsBlocked(widened > 0 ? agent : undefined, comparing)
  // Who wants the promotion may have acknowledged it, which doesn't count then.
  const isPartial = agent !== undefined && acknowledged !== undefined && only.includes('another')
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
          <button
            type="button"
            class="button"
            title={whyNoChanges.value}
            onClick={() => change({ acknowledge: candidate })}
          >
            Acknowledge…
          </button>
        </div>
      )}
      {widened > 0 && param('acknowledge') === candidate && (
        <AcknowledgeDialog
          key={`${baseline} ${candidate} ${environment}`}
          capabilities={capabilities}
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

/** The agent whose live release is the baseline; undefined where another one is live. */
function useAgentLive({ baseline, environment }: Comparing): string | undefined {
  const board = useBoard().data?.board ?? []
  return board.find(entry => entry.environment === environment && entry.promoted?.release_id === baseline)
    ?.agent_id
}

/** Whether a promotion would be blocked now for the capabilities of the release. */
function useIsBlocked(agent: string | undefined, { environment, candidate, window }: Comparing): boolean {
  const place = `${encodeURIComponent(agent ?? '')}/${encodeURIComponent(environment)}`
  const gate = useRead<{ readonly reasons: readonly string[] }>(
    agent === undefined ? null : get(`v1/gate/${place}`, { release_id: candidate, window }),
    30_000,
  )
  return gate.data?.reasons.some(isWideningReason) === true
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

interface Given {
  readonly capabilities: PowerDifference
  readonly agent: string
  readonly comparing: Comparing
}

/** Acknowledges capabilities of a candidate that the live release lacks; it is in the URL, so that a link opens it. */
function AcknowledgeDialog({ capabilities, comparing }: Omit<Given, 'agent'>) {
  const [made, setMade] = useState<Acknowledgement | undefined>(undefined)
  // What is acknowledged is what is on show, also when something else is read meanwhile.
  const [shown] = useState(capabilities)
  const agent = useRelease(comparing.candidate).data?.agent_id ?? ''
  const given = { capabilities: shown, agent, comparing }
  return (
    <Dialog
      title={
        <Whose
          what="Acknowledge new capabilities"
          place={{ agent_id: agent, environment: comparing.environment }}
          from={comparing.baseline}
          to={comparing.candidate}
        />
      }
      onClose={close}
    >
      {made === undefined ? <Form {...given} onMade={setMade} /> : <Made {...given} made={made} />}
    </Dialog>
  )
}

function close(): void {
  change({ acknowledge: null })
}

function Form({ capabilities, comparing, onMade }: Given & { onMade: (made: Acknowledgement) => void }) {
  const { baseline, candidate, environment } = comparing
  const draft = `acknowledge ${candidate} ${environment}`
  const reason = draftOf(draft)
  const attempting = useAttempt()

  async function submit(): Promise<void> {
    const made = await callApi<Acknowledgement>({
      method: 'POST',
      path: 'v1/acknowledgements',
      body: {
        release_id: candidate,
        environment,
        reason,
        expected_baseline_release_id: baseline,
        ...(actor.value.trim() === '' ? {} : { actor: actor.value.trim() }),
      },
    })
    setDraft(draft, '')
    onMade(made)
  }

  return (
    <ChangeForm
      label="Acknowledge"
      back="Cancel"
      isReady={reason.trim() !== ''}
      attempting={attempting}
      onBack={close}
      onSubmit={() => void attempting.attempt(submit)}
    >
      <PowerChanges capabilities={capabilities} />
      <p>
        You accept these capabilities. It holds for every release with the same ones, as long as what is live
        has the same as now. <WhoMay only={capabilities.acknowledged_only_by ?? []} />
      </p>
      <Reason
        label="Reason"
        hint="Recorded in the audit log as written."
        value={reason}
        onChange={text => setDraft(draft, text)}
      />
    </ChangeForm>
  )
}

/** What became of it, and what follows. */
function Made({ capabilities, agent, comparing, made }: Given & { made: Acknowledgement }) {
  const done = useRef<HTMLButtonElement>(null)
  useEffect(() => done.current?.focus(), [])
  const { candidate, environment } = comparing
  const takesAnother = capabilities.acknowledged_only_by?.includes('another') === true
  function promote(): void {
    close()
    openDecision('promote', agent, environment, candidate)
  }
  return (
    <div class="result" role="status">
      <p class="verdict-line ok">
        <Icon name="pass" size={20} />
        <strong>{made.reused === true ? 'You had acknowledged this before' : 'Acknowledged'}</strong>
      </p>
      <p>
        {takesAnother
          ? 'Somebody else than you can promote it now (approval_by_another).'
          : 'Its capabilities no longer block its promotion.'}
      </p>
      <p>
        On record as <Id value={made.acknowledgement_id} />
      </p>
      <footer>
        {!takesAnother && (
          <button type="button" class="button" onClick={promote}>
            Promote…
          </button>
        )}
        <button type="button" class="button primary" ref={done} onClick={close}>
          Done
        </button>
      </footer>
    </div>
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
