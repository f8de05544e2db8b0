import { Segments } from '../../components/field.tsx'
import { Section } from '../../components/page.tsx'
import type { WorstRuns } from '../../../models/answers/runs.ts'
import { Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { count, counted, milliseconds, usd } from '../../format.ts'
import { type Comparing, useWorst } from '../../reads.ts'
import { change, hereWith, href, param } from '../../route.ts'
import { RunDrawer } from '../runs/drawer.tsx'

type WorstRun = WorstRuns['runs'][number]

const MEASURES = [
  ['cost', 'Most expensive'],
  ['latency', 'Slowest'],
  ['failure', 'Failed'],
] as const

/** The runs behind a bad number, each a click away. */
export function Worst({ comparing }: { comparing: Comparing }) {
  const by = MEASURES.find(([measure]) => measure === param('worst'))?.[0] ?? 'cost'
  const worst = useWorst(comparing, by)
  const open = worst.data?.runs.find(run => run.event.run_id === param('run'))
  return (
    <Section
      title="Worst runs of the candidate"
      aside={
        <Segments
          label="Worst by"
          value={by}
          options={MEASURES}
          onChange={measure => change({ worst: measure, run: null }, { replace: true })}
        />
      }
    >
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
                ? `the newest ${count(examined)} runs; older ones were not looked at`
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
    </Section>
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
