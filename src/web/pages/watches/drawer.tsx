import { useState } from 'preact/hooks'
import type { Watch, WatchDetail } from '../../../models/answers/watch.ts'
import { actor, isNameless, whyNoChanges } from '../../access.ts'
import { useAttempt } from '../../attempt.ts'
import { ActorField } from '../../components/actor_field.tsx'
import { PassedBadge, Reasons } from '../../components/badge.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Failure } from '../../components/failure.tsx'
import { Reason } from '../../components/field.tsx'
import { Raw } from '../../components/raw.tsx'
import { Loaded } from '../../components/states.tsx'
import { Facts } from '../../components/table.tsx'
import { ExactTime, Id, Words } from '../../components/text.tsx'
import { counted } from '../../format.ts'
import { href } from '../../route.ts'
import { Closing } from './closing.tsx'
import { useWatch } from './reads.ts'
import { WatchState } from './state.tsx'

/** One watch: how it stands, what it saw, and its end before the time. */
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
        facts={[
          ['Agent', <Words key="agent">{watch.agent_id}</Words>],
          ['Environment', <Words key="env">{watch.environment}</Words>],
          ['Release', <Id key="rel" value={release_id} link={href('release', { id: release_id })} />],
          [
            'Compared with',
            <Id key="base" value={baseline_release_id} link={href('release', { id: baseline_release_id })} />,
          ],
          ['Since', <ExactTime key="since" at={watch.started_at} />],
          ['Started by', <Words key="by">{watch.started_by}</Words>],
          ['Until', <ExactTime key="until" at={watch.ended_at ?? watch.ends_at} />],
          ['Ended by', ended_by === null ? null : <Words>{ended_by}</Words>],
          ['A regression', watch.auto_rollback ? 'rolls back' : 'is told, and rolls nothing back'],
          ['Runs it takes', counted(watch.min_runs, 'run')],
          [
            'Runs so far',
            last_look === null ? null : counted(last_look.metrics.error_rate.candidate_runs, 'run'),
          ],
        ]}
      />
      {rollback !== null && <Rollback rollback={rollback} />}
      <Reasons reasons={last_look?.problems ?? []} />
      <h3>What it saw</h3>
      {watch.history.length === 0 ? (
        <p class="faint">It has not looked yet: it does so each minute.</p>
      ) : (
        <Closing watch={watch} />
      )}
      {state === 'watching' && <End watch={watch} />}
      <Raw value={watch} />
    </>
  )
}

function Rollback({
  rollback: { action_id, passed, reasons },
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
    </div>
  )
}

/** Ends a watch before its time, with a name and a reason. */
function End({ watch: { watch_id } }: { watch: Watch }) {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const { problem, isSending, send } = useAttempt()
  const off = whyNoChanges.value
  function end(): void {
    const path = `v1/watches/${encodeURIComponent(watch_id)}/cancel`
    void send({ method: 'POST', path, body: { reason: reason.trim(), actor: actor.value.trim() } })
  }
  if (!isOpen) {
    return (
      <div class="actions">
        <button type="button" class="button danger" title={off} onClick={() => setOpen(true)}>
          End it…
        </button>
      </div>
    )
  }
  return (
    <form
      class="decision"
      onSubmit={event => {
        event.preventDefault()
        end()
      }}
    >
      <Reason label="Why it is ended" hint="Kept with the watch." value={reason} onChange={setReason} />
      <ActorField label="Your name" />
      <Failure message={problem || (off ?? '')} />
      <footer>
        <button type="button" class="button" onClick={() => setOpen(false)}>
          Let it go on
        </button>
        <button
          type="submit"
          class="button danger filled"
          disabled={isSending || reason.trim() === '' || isNameless() || off !== undefined}
        >
          End the watch
        </button>
      </footer>
    </form>
  )
}
