import type { DiffReport } from '../../../models/answers/diff.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import { Icon } from '../../components/icon.tsx'
import { milliseconds, percent, points, signed, usd } from '../../format.ts'

interface Measure {
  readonly name: string
  readonly baseline: number | null
  readonly candidate: number | null
  readonly delta: number | null
  readonly limit: number | null
  readonly format: (value: number) => string
  readonly formatDelta: (value: number) => string
}

/** Cost, latency and error rate: both values, the change, and how far the limit is. */
export function Tiles({ report, policy }: { report: DiffReport; policy: Policy | undefined }) {
  return (
    <div class="tiles">
      {measuresOf(report, policy).map(measure => (
        <Tile key={measure.name} measure={measure} />
      ))}
    </div>
  )
}

function measuresOf({ metrics, samples }: DiffReport, policy: Policy | undefined): Measure[] {
  const { baseline_runs, candidate_runs } = samples
  const of = (runs: number, value: number | null): number | null => (runs === 0 ? null : value)
  const comparable = baseline_runs > 0 && candidate_runs > 0
  return [
    {
      name: 'Cost per run',
      baseline: of(baseline_runs, metrics.baseline_cost_per_run_usd),
      candidate: of(candidate_runs, metrics.candidate_cost_per_run_usd),
      delta: comparable ? metrics.delta_cost_per_run_usd : null,
      limit: policy?.max_cost_per_run_usd ?? null,
      format: usd,
      formatDelta: usd,
    },
    {
      name: 'Latency, mean',
      baseline: metrics.baseline_latency_ms_avg,
      candidate: metrics.candidate_latency_ms_avg,
      delta: metrics.delta_latency_ms_avg,
      limit: policy?.max_latency_ms ?? null,
      format: milliseconds,
      formatDelta: milliseconds,
    },
    {
      name: 'Error rate',
      baseline: of(baseline_runs, metrics.baseline_error_rate),
      candidate: of(candidate_runs, metrics.candidate_error_rate),
      delta: comparable ? metrics.delta_error_rate : null,
      limit: policy?.max_error_rate ?? null,
      format: percent,
      formatDelta: points,
    },
  ]
}

function Tile({ measure }: { measure: Measure }) {
  const { name, baseline, candidate, delta, limit, format, formatDelta } = measure
  const isOver = limit !== null && candidate !== null && candidate > limit
  return (
    <section class={`tile ${isOver ? 'over' : ''}`} aria-label={name}>
      <h3>{name}</h3>
      <p class="value">
        {candidate === null ? <span class="faint">no data</span> : format(candidate)}
        {delta !== null && <Delta measure={measure} delta={delta} />}
      </p>
      <p class="faint figures">{baseline === null ? 'baseline: no data' : `baseline ${format(baseline)}`}</p>
      <Bars measure={measure} isOver={isOver} />
      <p class={`limit-note ${isOver ? 'bad' : ''}`}>
        {limit === null ? (
          'no limit in the policy'
        ) : (
          <>
            <Icon name={isOver ? 'block' : candidate === null ? 'info' : 'pass'} size={14} />
            {isOver
              ? `${formatDelta(candidate - limit)} over the limit of ${format(limit)}`
              : `limit ${format(limit)}${candidate === null ? ', not measured' : ''}`}
          </>
        )}
      </p>
    </section>
  )
}

/** More cost, time or failures is worse; the arrow and the sign say which way, the colour only underlines it. */
function Delta({ measure: { baseline, formatDelta }, delta }: { measure: Measure; delta: number }) {
  const share = baseline === null || baseline === 0 ? null : delta / baseline
  const tone = delta === 0 ? '' : delta > 0 ? 'worse' : 'better'
  return (
    <span class={`delta ${tone}`}>
      <Icon name={delta === 0 ? 'same' : delta > 0 ? 'up' : 'down'} size={14} />
      {delta === 0 ? 'no change' : signed(delta, formatDelta)}
      {share !== null && delta !== 0 && formatDelta !== points && (
        <span class="faint"> {signed(share, percent)}</span>
      )}
    </span>
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
