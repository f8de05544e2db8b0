import type { RunsPage } from '../../models/answers/runs.ts'
import { Filter, Select, WindowField } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { PageHead } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { useEnvironments } from '../environments.ts'
import { counted, count, milliseconds } from '../format.ts'
import { type QueryParams, get } from '../query.ts'
import { useReleases, useRuns } from '../reads.ts'
import { change, hereWith, param } from '../route.ts'
import { RunDrawer } from './drawer.tsx'
import { download, save } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Time, Words } from '../ui/text.tsx'
import { Button } from '../ui/button.tsx'

const PAGE_SIZE = 100
const FILTERS = ['tenant', 'task', 'trace', 'session', 'span'] as const

/** What a release did, run by run. */
export function RunListPage() {
  const query = useQuery()
  const runs = useRuns(query)
  const open = runs.data?.events.find(event => event.run_id === param('run'))
  return (
    <>
      <PageHead title="Runs" about="Run events of one release, newest first.">
        {query !== null && <DownloadRuns query={query} />}
      </PageHead>
      <Pickers />
      {query === null ? (
        <Empty title="Choose a release and an environment" />
      ) : (
        <Loaded known={runs} lines={10}>
          {page => (
            <>
              <Place page={page} />
              {page.events.length === 0 ? (
                <Empty title="No run matches" />
              ) : (
                <Table caption="Runs" columns={COLUMNS} rows={page.events} keyOf={({ run_id }) => run_id} />
              )}
              <Paging page={page} />
              {param('run') !== '' && open === undefined && (
                <Note tone="info">The run in the address is not on this page.</Note>
              )}
            </>
          )}
        </Loaded>
      )}
      {open !== undefined && <RunDrawer event={open} onClose={() => change({ run: null })} />}
    </>
  )
}

function useQuery(): QueryParams | null {
  const release_id = param('release')
  const environment = param('env')
  if (release_id === '' || environment === '') return null
  return {
    release_id,
    environment,
    window: param('window') || '24h',
    tenant_id: param('tenant'),
    task_id: param('task'),
    trace_id: param('trace'),
    session_id: param('session'),
    span_id: param('span'),
    outcome: param('outcome'),
    error_type: param('error'),
    min_latency_ms: param('slow'),
    offset: Number(param('offset')) || 0,
    limit: PAGE_SIZE,
  }
}

function Pickers() {
  const releases = useReleases().data?.releases ?? []
  const release = releases.find(({ release_id }) => release_id === param('release'))
  const environments = useEnvironments(release?.agent_id ?? '')
  const first = { offset: null, run: null }
  return (
    <div class="fields pickers">
      <Select
        label="Release"
        value={param('release')}
        onChange={id => {
          const chosen = releases.find(({ release_id }) => release_id === id)
          change({ release: id, env: param('env') || (chosen?.environment ?? null), ...first })
        }}
        options={releases.map(({ release_id, agent_id, version }) => [
          release_id,
          `${agent_id} ${version} · ${release_id}`,
        ])}
      />
      <Select
        label="Environment"
        value={param('env')}
        onChange={env => change({ env, ...first })}
        options={environments}
      />
      <WindowField value={param('window') || '24h'} onChange={window => change({ window, ...first })} />
      <Select
        label="Outcome"
        value={param('outcome')}
        onChange={outcome => change({ outcome, ...first })}
        options={[
          ['', 'any'],
          ['success', 'success'],
          ['failed', 'failed'],
        ]}
      />
      <Filter label="Error type" value={param('error')} onChange={error => change({ error, ...first })} />
      <Filter
        label="Latency from, ms"
        value={param('slow')}
        onChange={slow => change({ slow: slow.replace(/\D/g, ''), ...first })}
      />
      {FILTERS.map(name => (
        <Filter
          key={name}
          label={`${name[0]!.toUpperCase()}${name.slice(1)}`}
          value={param(name)}
          onChange={value => change({ [name]: value, ...first })}
        />
      ))}
    </div>
  )
}

function Place({ page: { offset, returned, matched_total } }: { page: RunsPage }) {
  const range = returned === 0 ? '' : `, showing ${offset + 1} to ${offset + returned}`
  return (
    <p class="summary">
      <span>
        {counted(matched_total, 'run')} match{matched_total === 1 ? 'es' : ''}
        {range}
      </span>
    </p>
  )
}

function Paging({ page: { offset, truncated } }: { page: RunsPage }) {
  return (
    <nav class="paging" aria-label="Pages of runs">
      {offset > 0 && <a href={hereWith({ offset: String(Math.max(0, offset - PAGE_SIZE)) })}>Newer</a>}
      {truncated && <a href={hereWith({ offset: String(offset + PAGE_SIZE) })}>Older</a>}
    </nav>
  )
}

/** Most events that the service exports at once. */
const MOST_EXPORTED = 500

/** Saves the runs that match as NDJSON, from the place of this page on. */
function DownloadRuns({ query }: { query: QueryParams }) {
  const { problem, attempt } = useAttempt()
  async function saveRuns(): Promise<void> {
    const { path } = get('v1/runs/export', { ...query, limit: MOST_EXPORTED })
    save(await download(path), `runs-${query.release_id}-${query.offset ?? 0}.ndjson`)
  }
  return (
    <>
      <span class="problem" role="alert">
        {problem}
      </span>
      <Button
        title={`At most ${MOST_EXPORTED} at once, from this page on`}
        onClick={() => void attempt(saveRuns)}
      >
        Download NDJSON
      </Button>
    </>
  )
}

const COLUMNS: readonly Column<StoredEvent>[] = [
  {
    label: 'Run',
    cell: ({ run_id }) => (
      <a class="mono" href={hereWith({ run: run_id })}>
        <Words clip>{run_id}</Words>
      </a>
    ),
  },
  { label: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    label: 'Outcome',
    cell: ({ metrics }) =>
      metrics.success ? (
        'success'
      ) : (
        <strong class="bad">
          failed: <Words>{metrics.error_type ?? 'no type'}</Words>
        </strong>
      ),
  },
  {
    label: 'Latency',
    kind: 'number',
    cell: ({ metrics }) => (metrics.latency_ms === null ? 'none' : milliseconds(metrics.latency_ms)),
  },
  {
    label: 'Tokens in / out',
    kind: 'number',
    minor: true,
    cell: ({ usage: { model } }) => `${count(model.input_tokens)} / ${count(model.output_tokens)}`,
  },
  { label: 'Tenant', cell: ({ tenant_id }) => <Words clip>{tenant_id}</Words> },
  { label: 'Task', cell: ({ task_id }) => <Words clip>{task_id}</Words> },
  {
    label: 'Session',
    minor: true,
    cell: ({ request }) => <Words clip>{request?.session_id ?? 'none'}</Words>,
  },
]
