import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import type { PlaceRow } from '../../models/answers/place_parts.ts'
import { limitLabel, limitOf } from '../../models/limits.ts'
import { valueText } from '../../rules/limit_words.ts'
import { Axis } from '../ui/axis.tsx'
import { METRICS, type MetricName, changeText, intervalText, roundPercent } from '../ui/change.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Words } from '../ui/text.tsx'
import { type Format, milliseconds, percent, points, signed, usd } from '../format.ts'

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

/** What was measured against each limit, one row a limit, those that are not kept first; metrics without a limit come last. */
export function LimitsTable({
  rows,
  report,
  names: [before, now],
}: {
  rows: readonly PlaceRow[]
  report: DiffReport
  /** What the two sides are called. */
  names: readonly [before: string, now: string]
}) {
  const order = ['fail', 'unsure', 'pass']
  const limited = rows.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  const { ttft_ms: ttft } = report.statistics
  const free = METRICS.filter(([name]) => !rows.some(row => metricOf(row) === name))
  return (
    <table class="limits-table" role="table">
      <caption class="hidden">Limits</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            <span class="hidden">Measure</span>
          </th>
          {[before, now].map((name, side) => (
            <th key={side} role="columnheader" scope="col" class="number">
              <Words>{name}</Words>
            </th>
          ))}
          <th role="columnheader" scope="col">
            change
          </th>
          <th role="columnheader" scope="col">
            <span class="hidden">Where that lies</span>
          </th>
          <th role="columnheader" scope="col">
            limit
          </th>
          <th role="columnheader" scope="col">
            would pass
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {limited.map(row => (
          <LimitRow key={`${row.policy_key} ${row.metric}`} row={row} statistics={report.statistics} />
        ))}
        {free.map(([name]) => (
          <FreeRow
            key={name}
            name={NAMES[name]}
            change={report.statistics[name]}
            format={VALUES[name]}
            changed={changeText(name, report.statistics[name])}
          />
        ))}
        {ttft !== undefined && !rows.some(({ policy_key }) => limitOf(policy_key)?.metric === 'ttft_ms') && (
          <FreeRow
            name="Time to first token"
            change={ttft.change}
            format={milliseconds}
            changed={changeText('latency_ms', ttft.change)}
          />
        )}
      </tbody>
    </table>
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

const plain: Format = value => `${Number(value.toPrecision(4))}`

function LimitRow({ row, statistics }: { row: PlaceRow; statistics: DiffStatistics }) {
  const { policy_key, before, now, low, high, limit, limit_from, outcome, would_pass } = row
  const limited = limitOf(policy_key)
  const value = valueText(policy_key.replace('_segment', '')) ?? plain
  const isRise = limited?.unit === 'rise' || limited?.unit === 'points'
  const size = limited?.unit === 'points' ? points : roundPercent
  const write: Format = isRise ? amount => signed(amount, size) : amount => value(amount)
  const metric = metricOf(row)
  const point = isRise ? row.change : (now ?? row.change)
  const unit = limited?.unit === 'points' ? ' points' : ' %'
  const interval = row.change === null ? '' : intervalText({ estimate: row.change, low, high }, size, unit)
  const change = isRise
    ? row.change === null
      ? ''
      : `${write(row.change)} ${interval}`
    : metric === undefined
      ? ''
      : (changeText(metric, statistics[metric]) ?? '')
  return (
    <Cells
      outcome={outcome}
      name={nameOf(row)}
      title={`${policy_key}${limit_from === 'policy' ? '' : `, set by ${limit_from}`}`}
      before={before === null ? '' : value(before)}
      now={now === null ? (point === null ? 'no data' : '') : value(now)}
      change={change}
      axis={<Axis value={point} low={low} high={high} limit={limit} />}
      limit={write(limit)}
      pass={outcome === 'pass' ? '' : (would_pass ?? '')}
    />
  )
}

function FreeRow({
  name,
  change,
  format,
  changed = '',
}: {
  name: string
  change: DiffStatistics['latency_ms']
  format: Format
  changed: string | undefined
}) {
  const { matched, baseline_mean, candidate_mean } = change
  const [before, now] = matched
    ? [matched.baseline_mean, matched.candidate_mean]
    : [baseline_mean, candidate_mean]
  const of = (value: number | null): string => (value === null ? 'no data' : format(value))
  return (
    <Cells
      outcome="none"
      name={name}
      title=""
      before={of(before)}
      now={of(now)}
      change={changed}
      axis={null}
      limit="no limit"
      pass=""
    />
  )
}

function Cells({
  outcome,
  name,
  title,
  before,
  now,
  change,
  axis,
  limit,
  pass,
}: {
  outcome: keyof typeof OUTCOMES
  name: string
  /** The key of the policy. */
  title: string
  before: string
  now: string
  change: string
  axis: preact.ComponentChildren
  limit: string
  pass: string
}) {
  const [icon, tone, words] = OUTCOMES[outcome]
  return (
    <tr role="row" class={tone}>
      <th role="rowheader" scope="row" title={title}>
        <Icon name={icon} size={14} />
        <span>
          <Words>{name}</Words>
          <span class="hidden"> {words}</span>
        </span>
      </th>
      <td role="cell" class="number">
        {before}
      </td>
      <td role="cell" class="number now">
        {now}
      </td>
      <td role="cell" class="figures change">
        {change}
      </td>
      <td role="cell" class="axis-cell">
        {axis}
      </td>
      <td role="cell" class="figures limit-cell">
        {limit}
      </td>
      <td role="cell" class="figures pass-cell faint">
        {pass}
      </td>
    </tr>
  )
}
