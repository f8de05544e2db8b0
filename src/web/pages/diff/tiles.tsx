import type { DiffReport } from '../../../models/answers/diff.ts'
import type { DiffStatistics } from '../../../models/answers/statistics.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import { ALL_RUNS, comparedText, isOfSucceeded } from '../../../rules/verdict_words.ts'
import { Icon } from '../../components/icon.tsx'
import { type Format, MEASURES, apart, showsZero, signed } from '../../format.ts'
import {
  type Change,
  type MetricName,
  VERDICTS,
  doubtText,
  intervalText,
  roundPercent,
} from '../../components/change.ts'

interface Measure {
  readonly name: string
  readonly baseline: number | null
  readonly candidate: number | null
  readonly delta: number | null
  readonly change: Change
  readonly doubt: string
  /** The runs that the change is of; figures of each side are of all runs. */
  readonly of: string
  readonly limit: number | null
  readonly format: Format
  readonly formatDelta: Format
  /** Whether a change is shown as a share of the baseline. */
  readonly isRelative: boolean
}

/** Cost, latency and error rate: the change first, then both values, and how far the limit is. */
export function Tiles({ report, policy }: { report: DiffReport; policy: Policy | undefined }) {
  return (
    <div class="tiles">
      {measuresOf(report, policy).map(measure => (
        <Tile key={measure.name} measure={measure} />
      ))}
    </div>
  )
}

function measuresOf({ metrics, samples, statistics }: DiffReport, policy: Policy | undefined): Measure[] {
  const { baseline_runs, candidate_runs } = samples
  const of = (runs: number, value: number | null): number | null => (runs === 0 ? null : value)
  return MEASURES.map(({ name, figure, statistic, limit, format, formatDelta }) => ({
    name,
    baseline: of(baseline_runs, metrics[`baseline_${figure}`]),
    candidate: of(candidate_runs, metrics[`candidate_${figure}`]),
    delta: of(Math.min(baseline_runs, candidate_runs), metrics[`delta_${figure}`]),
    change: statistics[statistic],
    doubt: doubtText(statistic, statistics),
    of: changeOf(statistics, statistic),
    limit: policy?.[limit] ?? null,
    format,
    formatDelta,
    isRelative: format === formatDelta,
  }))
}

function changeOf(statistics: DiffStatistics, metric: MetricName): string {
  const isOther = metric !== 'error_rate' && isOfSucceeded(statistics)
  return isOther ? `${comparedText(statistics)}, runs that succeeded` : comparedText(statistics)
}

function Tile({ measure }: { measure: Measure }) {
  const { name, baseline, candidate, delta, limit, format, formatDelta, isRelative } = measure
  const isOver = limit !== null && candidate !== null && candidate > limit
  const shown = (value: number | null): string => (value === null ? 'no data' : format(value))
  return (
    <section class={`tile ${isOver ? 'over' : ''}`} aria-label={name}>
      <h3>{name}</h3>
      <ChangeOf measure={measure} />
      <p class="level figures">
        <span class="hidden">baseline </span>
        <span class="faint">{shown(baseline)}</span>
        <Icon name="right" size={14} />
        <span class="hidden">candidate </span>
        <strong>{shown(candidate)}</strong>
        <span class="faint">
          {' '}
          {ALL_RUNS}
          {isRelative && delta !== null && delta !== 0 && `: ${signed(delta, formatDelta)}`}
        </span>
      </p>
      <Bars measure={measure} isOver={isOver} />
      <LimitNote measure={measure} isOver={isOver} />
    </section>
  )
}

/** More cost, time or failures is worse; the words say so, the colour only underlines them. */
function ChangeOf({ measure: { delta, change, doubt, of, formatDelta, isRelative } }: { measure: Measure }) {
  if (delta === null) return <p class="value faint">no data</p>
  const { verdict, relative_change, difference } = change
  const [estimate, format] =
    isRelative && relative_change !== null ? [relative_change, roundPercent] : [difference, formatDelta]
  const size = estimate?.estimate ?? delta
  const text = signed(size, format)
  const isNothing = showsZero(text)
  const direction = isNothing ? 'same' : size > 0 ? 'up' : 'down'
  return (
    <>
      <p class={`value ${isNothing ? '' : verdict}`}>
        <Icon name={direction} size={20} />
        {isNothing ? 'no change' : text}
        {estimate !== null && <span class="interval">{intervalText(estimate, format)}</span>}
      </p>
      <p class="figures said-line">
        <span class={`said ${isNothing ? '' : verdict}`}>{VERDICTS[verdict]}</span>
        {doubt !== '' && `: ${doubt}`}
        {estimate !== null && <span class="faint">, {of}</span>}
      </p>
    </>
  )
}

function LimitNote({
  measure: { candidate, limit, format, formatDelta },
  isOver,
}: {
  measure: Measure
  isOver: boolean
}) {
  if (limit === null) return <p class="limit-note">no limit in the policy</p>
  if (candidate === null || !isOver) {
    return (
      <p class="limit-note">
        <Icon name={candidate === null ? 'info' : 'pass'} size={14} />
        {`limit ${format(limit)}${candidate === null ? ', not measured' : ''}`}
      </p>
    )
  }
  const [, limitText, more] = apart(candidate, limit, format)
  return (
    <p class="limit-note bad">
      <Icon name="block" size={14} />
      {`${formatDelta(candidate - limit, more)} over the limit of ${limitText}`}
    </p>
  )
}

function Bars({ measure: { baseline, candidate, limit }, isOver }: { measure: Measure; isOver: boolean }) {
  const most = Math.max(baseline ?? 0, candidate ?? 0, limit ?? 0) * 1.08 || 1
  const width = (value: number | null): { width: string } => ({ width: `${((value ?? 0) / most) * 100}%` })
  return (
    <div class="bars" aria-hidden="true">
      <span class="bar baseline" style={width(baseline)} />
      <span class={`bar candidate ${isOver ? 'over' : ''}`} style={width(candidate)} />
      {limit !== null && <span class="limit-line" style={{ left: `${(limit / most) * 100}%` }} />}
    </div>
  )
}
