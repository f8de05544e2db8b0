import { useEffect, useRef, useState } from 'preact/hooks'
import type { Rollout, RolloutDetail, RolloutCheck } from '../../features/rollouts/models.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Informed } from './informed.tsx'
import { ReleaseId } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Time, Words } from '../ui/text.tsx'
import { sendOnce } from './send.ts'
import { count, counted, duration, percent } from '../format.ts'
import { useNames, usePlace } from '../reads.ts'
import { hereWith, href } from '../route.ts'
import { isOpen, leftText, rolloutSentence } from '../../features/rollouts/rules_sentence.ts'
import { shareText } from '../../base/text.ts'
import { BROKEN_P } from '../../features/rollouts/rules_units.ts'
import { placeLink } from './comparison.ts'
import { Guard } from './guard.tsx'
import { History } from './history.tsx'
import { useRollout } from './rollout_reads.ts'
import { ReasonDialog } from './reason_dialog.tsx'
import { Button } from '../ui/button.tsx'

/** A rollout in the page of its place: where it is, its steps, and how to stop it. */
export function Progress({ id }: { id: string }) {
  const { data: rollout } = useRollout(id)
  if (rollout === undefined) return null
  return (
    <Section title="Rollout" aside={<a href={hereWith({ rollout: id })}>Details</a>}>
      <div class="progress">
        <Ramp rollout={rollout} />
        <Acting rollout={rollout} />
      </div>
      {rollout.last_check !== null && <Holds check={rollout.last_check} />}
    </Section>
  )
}

/** What can be done to a rollout, with the dialog that does it. */
function Acting({ rollout, onDone }: { rollout: RolloutDetail; onDone?: () => void }) {
  const [verb, setVerb] = useState<Verb | undefined>(undefined)
  return (
    <div class="actions">
      <Acts rollout={rollout} onAct={setVerb} />
      {verb !== undefined && (
        <ActDialog
          verb={verb}
          rollout={rollout}
          onClose={() => setVerb(undefined)}
          onDone={() => {
            setVerb(undefined)
            onDone?.()
          }}
        />
      )}
    </div>
  )
}

/** One rollout: its state, what the guard sees, what it did, and what can be done. */
export function RolloutSheet({ id }: { id: string }) {
  return (
    <Loaded known={useRollout(id)} lines={10}>
      {rollout => <Detail rollout={rollout} />}
    </Loaded>
  )
}

function Detail({ rollout }: { rollout: RolloutDetail }) {
  const name = useNames()
  const headline = useRef<HTMLHeadingElement>(null)
  const [isDone, setDone] = useState(false)
  // The dialog gives the focus back to a button that may be gone; what has come of it is said above.
  useEffect(() => {
    if (isDone) headline.current!.focus()
    setDone(false)
  }, [isDone])
  const { rollout_id, state, started_at, started_by, reason, last_check } = rollout
  return (
    <>
      <section class={`verdict ${TONES[state]} rollout-head`} aria-label="Where it stands">
        <RolloutState state={state} />
        <h3 ref={headline} tabIndex={-1} aria-live="polite">
          <Words>{rolloutSentence(rollout, name, Date.now())}</Words>
        </h3>
        <p class="faint">
          Started <Time at={started_at} /> by <Words>{started_by}</Words>: <Words>{reason}</Words>
        </p>
      </section>
      <Acting rollout={rollout} onDone={() => setDone(true)} />
      {!isOpen(rollout) && <AfterEnd rollout={rollout} />}
      <Section title="Steps">
        <Ramp rollout={rollout} />
        {last_check !== null && isOpen(rollout) && <Holds check={last_check} />}
      </Section>
      <Section title="Guard">
        {last_check === null ? (
          <p class="faint">Nobody has checked yet: that is once a minute.</p>
        ) : (
          <>
            <Guard
              check={last_check}
              hint="Over all steps together. A rise that is proven beyond the limit aborts the rollout."
            />
            <Fairness rollout={rollout} check={last_check} />
          </>
        )}
      </Section>
      <OnRecord rollout={rollout} />
      <Section title="What it is">
        <Facts
          facts={{
            Rollout: <Id value={rollout_id} />,
            Release: <ReleaseId id={rollout.candidate_release_id} />,
            'Compared with': <ReleaseId id={rollout.baseline_release_id} />,
            'Expires at': isOpen(rollout) ? <ExactTime at={rollout.ends_at} /> : null,
            'Last check': last_check && <Time at={last_check.at} fine />,
            'Requested by': rollout.request?.requested_by,
            'Confirmed by': rollout.request?.approvals.map(({ actor }) => actor).join(', '),
            Hold: rollout.hold && `${shareText(rollout.hold.share)} for ${rollout.hold.for}`,
          }}
        />
        <Raw value={rollout} />
      </Section>
    </>
  )
}

const TONES = {
  running: 'plain',
  paused: 'warn',
  completed: 'ok',
  aborted: 'bad',
  superseded: 'plain',
  expired: 'warn',
} as const satisfies Readonly<Record<Rollout['state'], Tone>>

function RolloutState({ state }: Pick<Rollout, 'state'>) {
  return (
    <Badge tone={TONES[state]} {...(state === 'running' ? { icon: 'steps' as const } : {})}>
      {state}
    </Badge>
  )
}

/** What was seen last of each step: of a step that is over, when it ended. */
function checkOf({ history, last_check }: RolloutDetail, step: number): RolloutCheck | undefined {
  return [last_check, ...history.map(({ check }) => check)].find(check => check?.step === step) ?? undefined
}

/** The split as a ramp: steps that are over, the one that it is at, those to come, and the promotion at the end. */
function Ramp({ rollout }: { rollout: RolloutDetail }) {
  const { steps, step: at, state, by } = rollout
  return (
    <ol class="ramp">
      {steps.map(({ share, for: time, started_at, ended_at }, index) => {
        const check = checkOf(rollout, index)
        const kind = index < at ? 'done' : index > at ? 'next' : isOpen(rollout) ? 'now' : state
        const took = started_at && ended_at ? duration(Date.parse(ended_at) - Date.parse(started_at)) : ''
        return (
          <li key={share} class={kind} aria-current={kind === 'now' ? 'step' : undefined}>
            <Bar share={share} />
            <strong>{shareText(share)}</strong>
            <span>
              {kind === 'done' && `done in ${took}`}
              {kind === 'now' && (state === 'paused' ? 'paused' : leftText(rollout, Date.now()))}
              {kind === state && `${state} after ${took}`}
              {kind === 'next' && (isOpen(rollout) ? `at least ${time}` : 'never reached')}
            </span>
            {started_at !== null && (
              <span class="faint">
                from <ExactTime at={started_at} short />
              </span>
            )}
            {check !== undefined && (
              <span class="faint figures">
                {count(check.runs.baseline)} → {count(check.runs.candidate)} runs of{' '}
                {count(check.units.baseline)} → {count(check.units.candidate)} {by}s
              </span>
            )}
          </li>
        )
      })}
      <li class={state === 'completed' ? 'done' : 'next'}>
        <Bar share={1} />
        <strong>100 %</strong>
        <span>
          {state === 'completed'
            ? 'promoted'
            : isOpen(rollout)
              ? 'promoted, if the policy passes'
              : 'never reached'}
        </span>
      </li>
    </ol>
  )
}

function Bar({ share }: { share: number }) {
  return (
    <span class="ramp-bar" aria-hidden="true">
      <span style={{ height: `${Math.max(2, 100 * share)}%` }} />
    </span>
  )
}

/** What the next step waits for, and when that is there; where that is unknown, the sentence says it. */
function Holds({ check: { holds, ready_at, problems } }: { check: RolloutCheck }) {
  return (
    <>
      {ready_at !== null && (
        <p>
          About ready at <ExactTime at={ready_at} short />: <Words>{holds.join('; ')}</Words>.
        </p>
      )}
      {problems.map(problem => (
        <Note key={problem}>
          <bdi>{problem}</bdi>
        </Note>
      ))}
    </>
  )
}

/** Whether units split as the share says, and whether runs are where they belong. */
function Fairness({ rollout, check }: { rollout: RolloutDetail; check: RolloutCheck }) {
  const { units, wrong_share, missing_share, step } = check
  const { share } = rollout.steps[step]!
  const all = units.baseline + units.candidate
  return (
    <Facts
      facts={{
        [`Sample ratio at ${shareText(share)}`]: (
          <>
            <span class="figures">
              {count(units.candidate)} of {counted(all, rollout.by)} are the candidate's
              {all > 0 && `: ${percent(units.candidate / all)}`}
            </span>
            {share > 0 &&
              (units.p === null ? (
                <span class="faint">too few runs</span>
              ) : (
                <Badge tone={units.p < BROKEN_P ? 'bad' : 'ok'}>
                  {units.p < BROKEN_P ? 'assignment is broken' : 'as planned'}, p ={' '}
                  {units.p < 0.001 ? units.p.toExponential(1) : units.p.toFixed(3)}
                </Badge>
              ))}
          </>
        ),
        'On the wrong side': wrong_share === null ? null : mostText(wrong_share),
        'Without a unit': missing_share === null ? null : mostText(missing_share),
      }}
    />
  )
}

const mostText = (share: number): string => `${percent(share)} of the runs; it waits above 5 %`

/** What the log says of rollouts here, and the decision that one came to. */
function OnRecord({
  rollout: { agent_id: agent, environment: env, action_id, because },
}: {
  rollout: Rollout
}) {
  // What superseded it names the decision.
  const action = action_id ?? /act_\w+/.exec(because ?? '')?.[0]
  return (
    <History place={{ agent_id: agent, environment: env }} kind="rollout">
      {action !== undefined && (
        <p>
          Its decision is on record as <Id value={action} link={href('log', { action })} />
        </p>
      )}
    </History>
  )
}

type Verb = 'pause' | 'resume' | 'abort'

/** What can be done to a rollout now. */
function Acts({ rollout, onAct }: { rollout: Rollout; onAct: (verb: Verb) => void }) {
  const { state, share } = rollout
  const button = (verb: Verb, words: string, kind = '') => (
    <Button kind={kind} changes onClick={() => onAct(verb)}>
      {words}
    </Button>
  )
  return (
    <>
      {isOpen(rollout) && (state === 'paused' ? button('resume', 'Resume…') : button('pause', 'Pause…'))}
      {isOpen(rollout) && button('abort', 'Abort…', 'danger')}
      {state === 'completed' && share !== null && button('abort', 'End the hold…', 'danger')}
    </>
  )
}

/** Asks why, and does it. `onDone` is called when it was done. */
function ActDialog({
  verb,
  rollout,
  onClose,
  onDone,
}: {
  verb: Verb
  rollout: Rollout
  onClose: () => void
  onDone: () => void
}) {
  const name = useNames()
  // What the reader saw when they began: what became of it meanwhile is for them to see first.
  const [seen] = useState(rollout)
  const isStale = seen.state !== rollout.state || seen.because !== rollout.because
  const isHold = seen.state === 'completed'
  const effects: Readonly<Record<Verb, string>> = {
    pause: 'The split stays, and nothing advances. Proven harm still aborts it.',
    resume: 'It goes on with its step.',
    abort: isHold
      ? 'All get what is live within a minute.'
      : `All get ${name(rollout.baseline_release_id)} within a minute. It can't be resumed.`,
  }
  async function send(reason: string): Promise<void> {
    await sendOnce(`v1/rollouts/${encodeURIComponent(rollout.rollout_id)}/${verb}`, { reason })
    onDone()
  }
  return (
    <ReasonDialog
      label={isHold ? 'End the hold' : `${verb[0]!.toUpperCase()}${verb.slice(1)} the rollout`}
      isDanger={verb === 'abort'}
      isReady={!isStale}
      send={send}
      onClose={onClose}
    >
      <p>
        <Words>{effects[verb]}</Words>
      </p>
      {isStale && (
        <Note tone="bad">
          It has changed since you opened it: <Words>{rolloutSentence(rollout, name, Date.now())}</Words>
        </Note>
      )}
    </ReasonDialog>
  )
}

/** What followed, and what is to be done now. */
function AfterEnd({ rollout }: { rollout: RolloutDetail }) {
  const { agent_id, environment, candidate_release_id: candidate, baseline_release_id: baseline } = rollout
  const { state, ended_at, step, steps } = rollout
  const name = useNames()
  const live = usePlace(agent_id, environment)?.promoted
  const isBack = state !== 'completed' && live?.release_id === baseline
  const last = steps[Math.min(step, steps.length - 1)]!
  const diff = {
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
        <a class="button" href={placeLink(rollout, diff)}>
          Compare as of the last step
        </a>
      </p>
      {(state === 'aborted' || state === 'expired') && (
        <Informed event={`rollout.${state}`} field="rollout_id" id={rollout.rollout_id} />
      )}
    </Section>
  )
}

function minutesBetween(from: string, to: string): string {
  return `${Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / 60_000))}m`
}
