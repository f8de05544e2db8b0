import { Segments } from '../../../web/components/field.tsx'
import { Fold } from '../../../web/components/page.tsx'
import type { WorstRuns } from '../models.ts'
import { Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { count, counted, milliseconds, usd } from '../../../web/format.ts'
import { type Known, get, useRead } from '../../../web/query.ts'
import { type Comparing, beat, isWhole, slice } from '../../../web/reads.ts'
import { change, hereWith, href, param } from '../../../web/route.ts'
import { RunDrawer } from '../../../web/pages/runs/drawer.tsx'

type WorstRun = WorstRuns['runs'][number]

const MEASURES = [
  ['cost', 'Most expensive'],
  ['latency', 'Slowest'],
  ['failure', 'Failed'],
] as const

/** The runs behind a bad number, each a click away. */
export function Worst({ comparing }: { comparing: Comparing }) {
  return (
    <Fold title="Worst runs of the candidate" name="worst" isNeeded={param('run') !== ''}>
      <Ranked comparing={comparing} />
    </Fold>
  )
}

function Ranked({ comparing }: { comparing: Comparing }) {
  const by = MEASURES.find(([measure]) => measure === param('worst'))?.[0] ?? 'cost'
  const worst = useWorst(comparing, by)
  const open = worst.data?.runs.find(run => run.event.run_id === param('run'))
  return (
    <>
      <Segments
        label="Worst by"
        value={by}
        options={MEASURES}
        onChange={measure => change({ worst: measure, run: null }, { replace: true })}
      />
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
              .{' '}
              <a
                href={href('runs', {
                  release: comparing.candidate,
                  env: comparing.environment,
                  window: comparing.window,
                  tenant: comparing.tenant,
                  task: comparing.task,
                })}
              >
                All runs
              </a>
            </p>
          </>
        )}
      </Loaded>
      {open !== undefined && (
        <RunDrawer event={open.event} cost={open.cost_usd} onClose={() => change({ run: null })} />
      )}
    </>
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
