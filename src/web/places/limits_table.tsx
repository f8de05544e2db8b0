import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PlaceRow } from '../../models/answers/place_parts.ts'
import { limitLabel, limitOf } from '../../models/limits.ts'
import { passesUnproven } from '../../rules/place.ts'
import { Axis } from '../ui/axis.tsx'
import { METRICS, type MetricName, changeText, limitFormat } from '../ui/change.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Words } from '../ui/text.tsx'
import { type Format, milliseconds, percent, usd } from '../format.ts'

const OUTCOMES = {
  fail: ['block', 'bad', 'beyond its limit'],
  unsure: ['waiting', 'warn', 'not decided yet'],
  pass: ['pass', 'ok', 'within its limit'],
  none: ['same', 'plain', 'no limit'],
} as const satisfies Readonly<Record<string, readonly [icon: IconName, tone: string, words: string]>>

const VALUES: Readonly<Record<MetricName, Format>> = {
  cost_per_run_usd: usd,
  latency_ms: milliseconds,
  error_rate: percent,
}
const NAMES: Readonly<Record<MetricName, string>> = {
  cost_per_run_usd: 'Cost per run',
  latency_ms: 'Latency',
  error_rate: 'Errors',
}

/** A row as it is written. */
interface Written {
  readonly outcome: keyof typeof OUTCOMES
  readonly name: string
  /** The key of the policy. */
  readonly title?: string
  readonly before: string
  readonly now: string
  readonly change: string
  readonly axis?: Parameters<typeof Axis>[0]
  readonly limit: string
  readonly pass?: string
}

/** What was measured against each limit, one row a limit, those that are not kept first; metrics without a limit come last. */
export function LimitsTable({
  rows,
  report: { statistics },
  names: [before, now],
}: {
  rows: readonly PlaceRow[]
  report: DiffReport
  /** What the two sides are called. */
  names: readonly [before: string, now: string]
}) {
  const order = ['fail', 'unsure', 'pass']
  const limited = rows.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  const { ttft_ms: ttft } = statistics
  const hasTtft = rows.some(({ policy_key }) => limitOf(policy_key)?.metric === 'ttft_ms')
  const columns: Column<Written>[] = [
    { label: 'Measure', kind: 'head', cell: row => <Measure {...row} /> },
    { label: before, kind: 'number', cell: row => row.before },
    { label: now, kind: 'number now', cell: row => row.now },
    { label: 'change', kind: 'figures change', cell: row => row.change || null },
    { label: 'Where that lies', kind: 'axis-cell', cell: ({ axis }) => axis && <Axis {...axis} /> },
    { label: 'limit', kind: 'figures limit-cell', cell: ({ limit }) => limit },
    { label: 'would pass', kind: 'figures pass-cell faint', cell: ({ pass }) => pass || null },
  ]
  return (
    <Table
      caption="Limits"
      kind="limits-table"
      columns={columns}
      rows={[
        ...limited.map(row => written(row, statistics)),
        ...METRICS.filter(([name]) => !rows.some(row => metricOf(row) === name)).map(([name]) =>
          unlimited(NAMES[name], name, statistics[name]),
        ),
        ...(ttft === undefined || hasTtft
          ? []
          : [unlimited('Time to first token', 'latency_ms', ttft.change)]),
      ]}
      keyOf={({ name, title = '' }) => `${title} ${name}`}
      toneOf={({ outcome }) => OUTCOMES[outcome][1]}
    />
  )
}

function Measure({ outcome, name, title }: Written) {
  const [icon, , words] = OUTCOMES[outcome]
  return (
    <span title={title}>
      <Icon name={icon} size={14} />
      <Words>{name}</Words>
      <span class="hidden"> {words}</span>
    </span>
  )
}

/** The metric that a limit is on, of the three that all releases have. */
const metricOf = ({ policy_key, metric }: PlaceRow): MetricName | undefined =>
  limitOf(policy_key)?.on === 'segment' ? undefined : METRICS.find(([name]) => name === metric)?.[0]

/** The row that decides: the first of those that fail. */
export const worstRow = (rows: readonly PlaceRow[]): PlaceRow | undefined =>
  rows.find(({ outcome }) => outcome === 'fail')

const SEGMENT = /^\w+ of (?:tenant|task) (.*)$/

function nameOf({ policy_key, metric }: PlaceRow): string {
  const limit = limitOf(policy_key)
  if (limit === undefined) return metric
  if (limit.on === 'segment') {
    const [, segment = 'any tenant or task'] = SEGMENT.exec(metric) ?? []
    return `${NAMES[limit.metric]}, ${segment}`
  }
  return limit.on === 'candidate' ? NAMES[limit.metric] : limitLabel(limit)
}

function written(row: PlaceRow, statistics: DiffStatistics): Written {
  const { policy_key, before, now, low, high, limit, limit_from, outcome, would_pass } = row
  const { value, isRise, write, interval } = limitFormat(policy_key)
  const metric = metricOf(row)
  const point = isRise ? row.change : (now ?? row.change)
  const rise = row.change === null ? '' : `${write(row.change)} ${interval({ low, high })}`
  const change = metric === undefined ? '' : changeText(metric, statistics[metric])
  const nothing = passesUnproven(row) ? 'no rise is proven' : 'no data'
  return {
    outcome,
    name: nameOf(row),
    title: `${policy_key}${limit_from === 'policy' ? '' : `, set by ${limit_from}`}`,
    before: before === null ? '' : value(before),
    now: now === null ? (point === null ? nothing : '') : value(now),
    change: isRise ? rise : (change ?? ''),
    axis: { value: point, low, high, limit },
    limit: write(limit),
    pass: outcome === 'pass' ? '' : (would_pass ?? ''),
  }
}

function unlimited(name: string, metric: MetricName, change: DiffStatistics['latency_ms']): Written {
  const { matched, baseline_mean, candidate_mean } = change
  const of = (value: number | null): string => (value === null ? 'no data' : VALUES[metric](value))
  return {
    outcome: 'none',
    name,
    before: of(matched?.baseline_mean ?? baseline_mean),
    now: of(matched?.candidate_mean ?? candidate_mean),
    change: changeText(metric, change) ?? '',
    limit: 'no limit',
  }
}
