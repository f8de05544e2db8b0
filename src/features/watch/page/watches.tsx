import { useState } from 'preact/hooks'
import type { Watch } from '../models.ts'
import { actor, whyNoChanges } from '../../../web/access.ts'
import { PageHead } from '../../../web/components/page.tsx'
import { Place, PlaceFilters, RELEASE_COLUMN } from '../../../web/components/place.tsx'
import { Empty, Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'
import { change, hereWith, param } from '../../../web/route.ts'
import { WatchPage, WatchState } from './watch.tsx'
import { useBoard } from '../../../web/reads.ts'
import { useWatches } from './live.tsx'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { ChangeForm, Dialog } from '../../../web/components/dialog.tsx'
import { Field, Select } from '../../../web/components/field.tsx'
import { useInOrder } from '../../../web/environments.ts'

/** All watches, or the one that the address names. */
export function WatchesPage() {
  const id = param('watch')
  return id === '' ? <List /> : <WatchPage id={id} />
}

/** Releases that are compared with the one before, minute by minute, since they are live. */
function List() {
  const [agent, env] = [param('agent'), param('env')]
  const watches = useWatches({ agent, env })
  const [isStarting, setStarting] = useState(false)
  return (
    <>
      <PageHead title="Watches" about="Live releases compared with the ones before them, minute by minute.">
        <button
          type="button"
          class="button primary"
          title={whyNoChanges.value}
          onClick={() => setStarting(true)}
        >
          Start a watch…
        </button>
      </PageHead>
      <div class="fields pickers">
        <PlaceFilters />
      </div>
      <Loaded known={watches}>
        {({ watches: all }) =>
          all.length === 0 ? (
            <Empty title="No watches yet">
              <p class="faint">
                <code>watch</code> in the policy starts a watch with each promotion.
              </p>
            </Empty>
          ) : (
            <Table caption="Watches" columns={COLUMNS} rows={all} keyOf={({ watch_id }) => watch_id} />
          )
        }
      </Loaded>
      {isStarting && <StartWatch onClose={() => setStarting(false)} />}
    </>
  )
}

const COLUMNS: readonly Column<Watch>[] = [
  { label: 'Agent', cell: watch => <Place place={watch} isMain /> },
  {
    label: 'State',
    cell: ({ state, watch_id }) => (
      <a href={hereWith({ watch: watch_id })}>
        <WatchState state={state} />
      </a>
    ),
  },
  RELEASE_COLUMN,
  {
    label: 'Since',
    cell: ({ started_at, started_by }) => (
      <>
        <Time at={started_at} /> by <Words>{started_by}</Words>
      </>
    ),
  },
  {
    label: 'Until',
    cell: ({ ended_at, ends_at }) => <Time at={ended_at ?? ends_at} />,
  },
  {
    label: 'The result of the review',
    kind: 'grow',
    cell: ({ ended_because, checks }) =>
      ended_because === null ? (
        <span class="faint">{counted(checks, 'check')} so far</span>
      ) : (
        <Words>{ended_because}</Words>
      ),
  },
]

/** Starts a watch of what is live somewhere. */
function StartWatch({ onClose }: { onClose: () => void }) {
  const live = (useBoard().data?.board ?? []).filter(({ promoted }) => promoted !== null)
  const agents = [...new Set(live.map(({ agent_id }) => agent_id))].sort()
  const [agent_id, setAgent] = useState('')
  const [chosen, setEnvironment] = useState('')
  const [length, setLength] = useState('2h')
  const [auto_rollback, setRollback] = useState(false)
  const attempting = useAttempt()
  const environments = useInOrder()(
    live.filter(entry => entry.agent_id === agent_id).map(entry => entry.environment),
  )
  const environment = environments.includes(chosen) ? chosen : (environments[0] ?? '')

  async function start(): Promise<void> {
    const body = { agent_id, environment, for: length.trim(), auto_rollback, actor: actor.value.trim() }
    const { watch_id } = await callApi<Watch>({ method: 'POST', path: 'v1/watches', body })
    onClose()
    change({ watch: watch_id })
  }

  return (
    <Dialog title="Start a watch" onClose={onClose}>
      <ChangeForm
        label="Start"
        back="Back"
        isReady={agent_id !== '' && environment !== ''}
        attempting={attempting}
        onBack={onClose}
        onSubmit={() => void attempting.attempt(start)}
      >
        <div class="fields">
          <Select label="Agent" value={agent_id} onChange={setAgent} options={agents} />
          <Select label="Environment" value={environment} onChange={setEnvironment} options={environments} />
          <Field label="For how long">
            {id => (
              <input
                id={id}
                size={6}
                required
                value={length}
                onInput={event => setLength(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={auto_rollback}
            onChange={event => setRollback(event.currentTarget.checked)}
          />
          Roll back to the release before where it regresses, if the policy lets it
        </label>
      </ChangeForm>
    </Dialog>
  )
}
