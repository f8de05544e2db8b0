import type { StoredEvent } from '../../../models/documents/stored_event.ts'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { count, counted, milliseconds } from '../../format.ts'
import { hereWith } from '../../route.ts'

/** Runs as one table, or a table per trace or session. */
export function RunsTable({ events, group }: { events: readonly StoredEvent[]; group: string }) {
  if (group !== 'trace' && group !== 'session') return <Runs caption="Runs" events={events} />
  const groups = Map.groupBy(events, event => event.request?.[`${group}_id`] ?? null)
  return (
    <>
      <p class="faint">Grouped among the runs of this page; the filter finds all of one {group}.</p>
      {[...groups].map(([id, members]) => (
        <section key={id} class="group">
          <header>
            <h2>
              {id === null ? (
                <span class="faint">no {group}</span>
              ) : (
                <a href={hereWith({ [group]: id, offset: null })}>
                  <Words>{id}</Words>
                </a>
              )}
            </h2>
            <span class="faint figures">{totals(members)}</span>
          </header>
          <Runs caption={`Runs of ${group} ${id ?? 'none'}`} events={members} />
        </section>
      ))}
    </>
  )
}

function totals(events: readonly StoredEvent[]): string {
  const failed = events.filter(event => !event.metrics.success).length
  const sum = (of: (event: StoredEvent) => number): number =>
    events.reduce((total, event) => total + of(event), 0)
  const tokens = `${count(sum(e => e.usage.model.input_tokens))} in, ${count(sum(e => e.usage.model.output_tokens))} out`
  const latency = milliseconds(sum(event => event.metrics.latency_ms ?? 0))
  return `${counted(events.length, 'run')}, ${failed} failed, ${latency} in all, tokens ${tokens}`
}

function Runs({ caption, events }: { caption: string; events: readonly StoredEvent[] }) {
  return <Table caption={caption} columns={COLUMNS} rows={events} keyOf={event => event.run_id} />
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
