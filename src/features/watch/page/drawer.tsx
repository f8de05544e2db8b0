import { useState } from 'preact/hooks'
import type { Watch, WatchDetail } from '../../../models/answers/watch.ts'
import { actor, whyNoChanges } from '../../../web/access.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { PassedBadge, Reasons } from '../../../web/components/badge.tsx'
import { ChangeForm, Dialog } from '../../../web/components/dialog.tsx'
import { Reason } from '../../../web/components/field.tsx'
import { ReleaseId } from '../../../web/components/place.tsx'
import { Raw } from '../../../web/components/raw.tsx'
import { Loaded } from '../../../web/components/states.tsx'
import { Facts } from '../../../web/components/table.tsx'
import { ExactTime, Id, Words } from '../../../web/components/text.tsx'
import { type Format, counted, percent, points } from '../../../web/format.ts'
import { href } from '../../../web/route.ts'
import { WatchState } from './state.tsx'
import { useSignal } from '../../../web/signal.ts'
import { Chart } from '../../../web/components/charts/chart.tsx'
import type { Line } from '../../../web/components/charts/series.ts'
import { type Known, get, useRead } from '../../../web/query.ts'

/** One watch with its last looks. */
const useWatch = (id: string): Known<WatchDetail> => useRead(get(`v1/watches/${encodeURIComponent(id)}`))

/** One watch: its state, what it saw, and its end before the time. */
export function WatchDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Dialog title="Watch" kind="drawer" onClose={onClose}>
      <Loaded known={useWatch(id)} lines={8}>
        {watch => <Detail watch={watch} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({ watch }: { watch: WatchDetail }) {
  const { state, release_id, baseline_release_id, last_look, ended_because, ended_by, rollback } = watch
  return (
    <>
      <p class="verdict-line">
        <WatchState state={state} /> {ended_because !== null && <Words>{ended_because}</Words>}
      </p>
      <Facts
        facts={{
          Agent: watch.agent_id,
          Environment: watch.environment,
          Release: <ReleaseId id={release_id} />,
          'Compared with': <ReleaseId id={baseline_release_id} />,
          Since: <ExactTime at={watch.started_at} />,
          'Started by': watch.started_by,
          Until: <ExactTime at={watch.ended_at ?? watch.ends_at} />,
          'Ended by': ended_by,
          'A regression': watch.auto_rollback ? 'rolls back' : 'sends an alert only',
          'Runs it takes': counted(watch.min_runs, 'run'),
          'Runs so far':
            last_look === null ? null : counted(last_look.metrics.error_rate.candidate_runs, 'run'),
        }}
      />
      {rollback !== null && <Rollback rollback={rollback} />}
      <Reasons reasons={last_look?.problems ?? []} />
      <h3>What it saw</h3>
      {watch.history.length === 0 ? (
        <p class="faint">It has not looked yet: it does so each minute.</p>
      ) : (
        <Closing watch={watch} />
      )}
      {(state === 'watching' || rollback?.next_attempt_at !== undefined) && <End watch={watch} />}
      <Raw value={watch} />
    </>
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
        Its rollback: <PassedBadge passed={passed} />{' '}
        {action_id !== null && <Id value={action_id} link={href('ledger', { action: action_id })} />}
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
  const [reason, setReason] = useState('')
  const attempting = useAttempt()
  async function end(): Promise<void> {
    const path = `v1/watches/${encodeURIComponent(watch_id)}/cancel`
    await callApi({ method: 'POST', path, body: { reason: reason.trim(), actor: actor.value.trim() } })
  }
  if (!isOpen) {
    return (
      <div class="actions">
        <button type="button" class="button danger" title={whyNoChanges.value} onClick={() => setOpen(true)}>
          End it…
        </button>
      </div>
    )
  }
  return (
    <ChangeForm
      label="End the watch"
      back="Let it go on"
      isReady={reason.trim() !== ''}
      isDanger
      attempting={attempting}
      onBack={() => setOpen(false)}
      onSubmit={() => void attempting.attempt(end)}
    >
      <Reason label="Why it is ended" hint="Kept with the watch." value={reason} onChange={setReason} />
    </ChangeForm>
  )
}

const MEASURES = [
  ['latency_ms', 'Rise of the latency', percent],
  ['cost_per_run_usd', 'Rise of the cost', percent],
  ['error_rate', 'Rise of the error rate', points],
] as const satisfies readonly (readonly [keyof WatchDetail['limits'], string, Format])[]

type Measure = (typeof MEASURES)[number]

/** A watch as its looks saw it: what was measured, and what is proven by then, which closes in on it. */
function Closing({ watch }: { watch: WatchDetail }) {
  const pointed = useSignal<number | undefined>(undefined)
  const times = watch.history.map(({ at }) => Date.parse(at))
  const since = Math.min(Date.parse(watch.started_at), ...times)
  const until = Math.max(...times, since + 1)
  return (
    <div class="charts">
      {MEASURES.map(measure => (
        <Chart
          key={measure[0]}
          title={measure[1]}
          format={measure[2]}
          limit={watch.limits[measure[0]]}
          floor={floorOf(watch, measure)}
          since={since}
          until={until}
          pointed={pointed}
          lines={linesOf(watch, measure)}
        />
      ))}
    </div>
  )
}

function linesOf({ history }: WatchDetail, [metric]: Measure): readonly Line[] {
  const line = (name: string, kind: Line['kind'], of: 'change' | 'low'): Line => ({
    name,
    kind,
    points: history.map(({ at, metrics }) => ({ at: Date.parse(at), value: metrics[metric][of] })),
  })
  return [line('measured', 'candidate', 'change'), line('proven, at least', 'baseline', 'low')]
}

/** The first looks prove next to nothing: as far below 0 as that reaches, nobody could read the rest. */
function floorOf({ history, limits }: WatchDetail, [metric]: Measure): number {
  const changes = history.map(({ metrics }) => Math.abs(metrics[metric].change ?? 0))
  return -2 * Math.max(0.05, limits[metric], ...changes.slice(-10))
}
