import type { WorstRuns } from '../../features/explore/models.ts'
import { Loaded } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time, Words } from '../ui/text.tsx'
import { count, counted, milliseconds, usd } from '../format.ts'
import { type Known, get, useRead } from '../query.ts'
import { type Comparing, beat, isWhole, slice } from '../reads.ts'
import { change, hereWith, href, param } from '../route.ts'
import { RunDrawer } from '../runs/drawer.tsx'

type WorstRun = WorstRuns['runs'][number]

const TITLES = {
  cost: 'most expensive runs',
  latency: 'slowest runs',
  failure: 'failed runs',
} as const
export type WorstBy = keyof typeof TITLES

/** The runs behind what is worse, each a click away. */
export function Worst({ comparing, by, of }: { comparing: Comparing; by: WorstBy; of: string | undefined }) {
  const worst = useWorst(comparing, by)
  const open = worst.data?.runs.find(run => run.event.run_id === param('run'))
  const { candidate: release, environment: env, window, tenant, task } = comparing
  return (
    <div class="worst">
      <h3>
        The {TITLES[by]}
        {of !== undefined && (
          <>
            {' '}
            of <Words>{of}</Words>
          </>
        )}
      </h3>
      <Loaded known={worst} lines={5}>
        {({ runs, examined, truncated }) => (
          <>
            {runs.length === 0 ? (
              <p class="faint">{by === 'failure' ? 'No run failed.' : 'No runs to rank.'}</p>
            ) : (
              <Table caption="Worst runs" columns={COLUMNS} rows={runs} keyOf={run => run.event.run_id} />
            )}
            <p class="faint">
              Of{' '}
              {truncated
                ? `the newest ${count(examined)} runs; older ones were not checked`
                : counted(examined, 'run')}
              . <a href={href('runs', { release, env, window, tenant, task })}>All runs</a>
            </p>
          </>
        )}
      </Loaded>
      {open !== undefined && (
        <RunDrawer event={open.event} cost={open.cost_usd} onClose={() => change({ run: null })} />
      )}
    </div>
  )
}

const COLUMNS: readonly Column<WorstRun>[] = [
  {
    label: 'Run',
    cell: ({ event }) => (
      <a class="mono" href={hereWith({ run: event.run_id })}>
        <Words clip>{event.run_id}</Words>
      </a>
    ),
  },
  { label: 'When', cell: ({ event }) => <Time at={event.timestamp} /> },
  {
    label: 'Cost',
    kind: 'number',
    cell: ({ cost_usd }) => (cost_usd === null ? 'no price' : usd(cost_usd)),
  },
  {
    label: 'Latency',
    kind: 'number',
    cell: ({ event: { metrics } }) =>
      metrics.latency_ms === null ? 'none' : milliseconds(metrics.latency_ms),
  },
  {
    label: 'Outcome',
    cell: ({ event: { metrics } }) => (metrics.success ? 'success' : (metrics.error_type ?? 'failed')),
  },
  {
    label: 'Tokens in / out',
    kind: 'number',
    minor: true,
    cell: ({ event }) =>
      `${count(event.usage.model.input_tokens)} / ${count(event.usage.model.output_tokens)}`,
  },
  { label: 'Tenant', cell: ({ event }) => event.tenant_id },
  { label: 'Task', cell: ({ event }) => event.task_id },
]

function useWorst(comparing: Comparing, by: string): Known<WorstRuns> {
  const query = { release_id: comparing.candidate, ...slice(comparing), by, limit: 10 }
  return useRead<WorstRuns>(isWhole(comparing) ? get('v1/runs/worst', query) : null, beat(comparing, 60_000))
}
