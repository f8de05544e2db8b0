import type { Reading } from '../../models/answers/reading.ts'
import type { Rollout } from '../../features/rollouts/models.ts'
import { Axis } from '../ui/axis.tsx'
import { Badge } from '../ui/badge.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { MEASURES, count, percent, points, signed } from '../format.ts'

type Metric = keyof Rollout['limits']

export const formatOf = (metric: Metric) => (metric === 'error_rate' ? points : percent)

/** `latency +20.0 %, errors +2.0 points` */
export function limitsText(limits: Rollout['limits']): string {
  return MEASURES.flatMap(({ name, statistic }) => {
    const limit = limits[statistic]
    return limit === null ? [] : [`${name.toLowerCase()} ${signed(limit, formatOf(statistic))}`]
  }).join(', ')
}

interface GuardRow {
  readonly name: string
  readonly metric: Metric
  readonly reading: Reading
}

/** What a check of a rollout or a watch sees of each limit: the rise as measured, what it is at least, and how far the limit is. */
export function Guard({
  check: { metrics },
  hint,
}: {
  check: { readonly metrics: Readonly<Partial<Record<Metric, Reading>>> }
  /** Over what it is, and what a proven rise does. */
  hint: string
}) {
  const rows = MEASURES.flatMap(({ name, statistic }): GuardRow[] => {
    const reading = metrics[statistic]
    return reading === undefined ? [] : [{ name, metric: statistic, reading }]
  })
  return (
    <>
      <Table
        caption="What the guard sees"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ metric }) => metric}
        toneOf={({ reading }) => (reading.alarm === null ? 'plain' : 'bad')}
      />
      <p class="hint">{hint}</p>
    </>
  )
}

const text = (value: number | null, metric: Metric): string =>
  value === null ? 'no data' : signed(value, formatOf(metric))

const COLUMNS: readonly Column<GuardRow>[] = [
  { label: 'Measure', cell: ({ name }) => <strong>{name}</strong> },
  {
    label: 'Rise',
    cell: ({ metric, reading: { change, alarm } }) => (
      <span class="figures">
        {text(change, metric)} {alarm !== null && <Badge tone="bad">proven harm</Badge>}
      </span>
    ),
  },
  {
    label: 'At least',
    cell: ({ metric, reading: { low } }) => (
      <span class="figures">{low === null ? 'not known yet' : text(low, metric)}</span>
    ),
  },
  {
    label: 'Where that lies',
    kind: 'grow',
    cell: ({ reading: { change, low, limit } }) => (
      <Axis value={change} low={low} high={null} limit={limit} />
    ),
  },
  { label: 'Limit', kind: 'number', cell: ({ metric, reading: { limit } }) => text(limit, metric) },
  {
    label: 'Would see',
    kind: 'number',
    minor: true,
    cell: ({ metric, reading: { smallest_detectable: least } }) =>
      least === null ? '–' : text(least, metric),
  },
  {
    label: 'Runs',
    kind: 'number',
    cell: ({ reading: { baseline_runs, candidate_runs } }) =>
      `${count(baseline_runs)} → ${count(candidate_runs)}`,
  },
]
