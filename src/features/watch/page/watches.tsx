import { useState } from 'preact/hooks'
import type { Watch } from '../../../models/answers/watch.ts'
import { whyNoChanges } from '../../../web/access.ts'
import { PageHead } from '../../../web/components/page.tsx'
import { Place, PlaceFilters, RELEASE_COLUMN } from '../../../web/components/place.tsx'
import { Empty, Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'
import { change, hereWith, param } from '../../../web/route.ts'
import { WatchDrawer } from './drawer.tsx'
import { useWatches } from '../../../web/reads.ts'
import { WatchState } from './state.tsx'
import { StartWatch } from './start.tsx'

/** Releases that are compared with the one before, minute by minute, since they are live. */
export function WatchesPage() {
  const [agent, env] = [param('agent'), param('env')]
  const watches = useWatches({ agent, env })
  const [isStarting, setStarting] = useState(false)
  return (
    <>
      <PageHead title="Watches" about="Live releases beside the ones before them, minute by minute.">
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
            <Empty title="Nothing is watched, or was">
              <p class="faint">
                <code>watch</code> in the policy starts a watch with each promotion.
              </p>
            </Empty>
          ) : (
            <Table caption="Watches" columns={COLUMNS} rows={all} keyOf={({ watch_id }) => watch_id} />
          )
        }
      </Loaded>
      {param('watch') !== '' && <WatchDrawer id={param('watch')} onClose={() => change({ watch: null })} />}
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
    label: 'What came of it',
    kind: 'grow',
    cell: ({ ended_because, looks }) =>
      ended_because === null ? (
        <span class="faint">{counted(looks, 'look')} so far</span>
      ) : (
        <Words>{ended_because}</Words>
      ),
  },
]
