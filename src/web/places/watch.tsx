import { resultOf } from '../../rules/result.ts'
import { useState } from 'preact/hooks'
import type { Watch, WatchDetail } from '../../features/watch/models.ts'
import { actor } from '../access.ts'
import { callApi } from '../api.ts'
import { Badge, ResultBadge, Reasons, type Tone } from '../ui/badge.tsx'
import { Section } from '../ui/page.tsx'
import { ReleaseId } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Words } from '../ui/text.tsx'
import { counted, signed } from '../format.ts'
import { Guard, formatOf } from './guard.tsx'
import { Informed } from './informed.tsx'
import { draftOf, openDecision, setDraft } from './open.ts'
import { useNames, usePlace } from '../reads.ts'
import { href } from '../route.ts'
import { METRICS } from '../ui/change.ts'
import { placeLink } from './comparison.ts'
import { ReasonDialog } from './reason_dialog.tsx'
import { useWatch } from './watch_reads.tsx'
import { Button } from '../ui/button.tsx'

/** One watch: whether the release is worse, what was seen of that, what can be done, and who was informed. */
export function WatchSheet({ id }: { id: string }) {
  return (
    <Loaded known={useWatch(id)} lines={12}>
      {watch => <Detail watch={watch} />}
    </Loaded>
  )
}

function Detail({ watch }: { watch: WatchDetail }) {
  const { state, release_id, baseline_release_id, last_check, ended_at, rollback } = watch
  const name = useNames()
  const isHarm = state === 'regressed' || state === 'rolled_back'
  const diff = { baseline: baseline_release_id, candidate: release_id, until: ended_at }
  return (
    <>
      <section class={`verdict ${STATES[state][0]} rollout-head`} aria-label="Where it stands">
        <WatchState state={state} />
        <h3 aria-live="polite">
          <Words>{headline(watch, name)}</Words>
        </h3>
        <p class="faint">
          Since <ExactTime at={watch.started_at} short />, started by <Words>{watch.started_by}</Words>
        </p>
      </section>
      <div class="actions">
        {isHarm && <RollBack watch={watch} name={name} />}
        <a class="button" href={placeLink(watch, diff)}>
          Compare both
        </a>
      </div>
      {rollback !== null && <Rollback rollback={rollback} />}
      <Section title="What it saw">
        <Reasons reasons={last_check?.problems ?? []} />
        {last_check === null ? (
          <p class="faint">It has not checked yet: it does so each minute.</p>
        ) : (
          <Guard
            check={last_check}
            hint="Since the promotion. A rise that is proven beyond its limit is a regression."
          />
        )}
      </Section>
      {(state === 'watching' || rollback?.next_attempt_at !== undefined) && <End watch={watch} />}
      {isHarm && <Informed event="watch.regressed" field="watch_id" id={watch.watch_id} />}
      <Section title="What it is">
        <Facts
          facts={{
            Release: <ReleaseId id={release_id} />,
            'Compared with': <ReleaseId id={baseline_release_id} />,
            Until: <ExactTime at={ended_at ?? watch.ends_at} />,
            'Ended by': watch.ended_by,
            'Ended because': isHarm ? watch.ended_because : null,
            'A regression': watch.auto_rollback ? 'rolls back' : 'sends an alert only',
            'Runs it takes': counted(watch.min_runs, 'run'),
            'Runs so far':
              last_check === null ? null : counted(last_check.metrics.error_rate.candidate_runs, 'run'),
          }}
        />
        <Raw value={watch} />
      </Section>
    </>
  )
}

/** What there is to know at once: what is worse and by how much, else why it ended, else how far it is. */
function headline(watch: Watch, name: (id: string) => string): string {
  const { state, release_id, baseline_release_id, ended_because, last_check } = watch
  const [release, before] = [name(release_id), name(baseline_release_id)]
  const worse = worseText(watch)
  const went = state === 'rolled_back' ? ` ${before} is live again.` : ''
  if (worse !== '') return `${release} is worse than ${before}: ${worse}.${went}`
  if (ended_because !== null) return `${ended_because}${went}`
  const runs = last_check?.metrics.error_rate.candidate_runs ?? 0
  return `${release} is compared with ${before}: ${counted(runs, 'run')} so far, nothing proven.`
}

/** `latency +22.0 %, at least +18.0 %, where +20.0 % is allowed`, of each metric that is proven to be worse. */
function worseText({ last_check }: Watch): string {
  return METRICS.flatMap(([metric, word]) => {
    const reading = last_check?.metrics[metric]
    const format = formatOf(metric)
    if (reading == null || reading.alarm === null || reading.change === null) return []
    const { change, low, limit } = reading
    const least = low === null ? '' : `, at least ${signed(low, format)}`
    return [`${word} ${signed(change, format)}${least}, where ${signed(limit, format)} is allowed`]
  }).join('; ')
}

/** Opens the rollback to the release before, with what was seen as its reason; only while the worse one is live. */
function RollBack({ watch, name }: { watch: Watch; name: (id: string) => string }) {
  const { agent_id, environment, release_id, baseline_release_id, watch_id } = watch
  if (usePlace(agent_id, environment)?.promoted?.release_id !== release_id) return null
  function open(): void {
    const key = `rollback ${agent_id} ${environment}`
    if (draftOf(key) === '') setDraft(key, `${watch_id}: ${worseText(watch) || watch.ended_because}`)
    openDecision('rollback', agent_id, environment, baseline_release_id)
  }
  return (
    <Button kind="danger filled" changes onClick={open}>
      Roll back to {name(baseline_release_id)}…
    </Button>
  )
}

function Rollback({
  rollback: { action_id, passed, reasons, attempts = 1, next_attempt_at },
}: {
  rollback: NonNullable<Watch['rollback']>
}) {
  return (
    <div>
      <p>
        Its rollback: <ResultBadge result={resultOf({ passed, reasons })} />{' '}
        {action_id !== null && <Id value={action_id} link={href('log', { action: action_id })} />}
      </p>
      <Reasons reasons={reasons} />
      {next_attempt_at !== undefined && (
        <p class="faint">
          Tried {attempts === 1 ? 'once' : `${attempts} times`}; it is tried again when that changes
          {next_attempt_at !== null && (
            <>
              , and at <ExactTime at={next_attempt_at} />
            </>
          )}
          .
        </p>
      )}
    </div>
  )
}

/** Ends a watch before its time, with a name and a reason. */
function End({ watch: { watch_id } }: { watch: Watch }) {
  const [isOpen, setOpen] = useState(false)
  async function end(reason: string): Promise<void> {
    const path = `v1/watches/${encodeURIComponent(watch_id)}/cancel`
    await callApi({ method: 'POST', path, body: { reason, actor: actor.value.trim() } })
    setOpen(false)
  }
  return (
    <div class="actions">
      <Button kind="danger" changes onClick={() => setOpen(true)}>
        End it…
      </Button>
      {isOpen && (
        <ReasonDialog label="End the watch" isDanger send={end} onClose={() => setOpen(false)}>
          <p>Nothing is compared from then on.</p>
        </ReasonDialog>
      )}
    </div>
  )
}

const STATES = {
  watching: ['plain', 'watching'],
  passed: ['ok', 'passed'],
  regressed: ['bad', 'regressed'],
  inconclusive: ['warn', 'inconclusive'],
  rolled_back: ['bad', 'rolled back'],
  superseded: ['plain', 'superseded'],
} as const satisfies Readonly<Record<Watch['state'], readonly [Tone, string]>>

/** The state of a watch. */
function WatchState({ state }: { state: Watch['state'] }) {
  const [tone, words] = STATES[state]
  return (
    <Badge tone={tone} {...(state === 'watching' ? { icon: 'waiting' as const } : {})}>
      {words}
    </Badge>
  )
}
