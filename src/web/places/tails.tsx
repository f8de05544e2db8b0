import { PERCENTILE_NAMES } from '../../models/limits.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { Changes, Row } from '../ui/changes.tsx'
import { milliseconds, signed } from '../format.ts'
import { niceTicks } from '../ui/charts/series.ts'
import { intervalText } from '../ui/change.ts'

type Percentile = NonNullable<DiffStatistics['latency_percentiles']>['p50']
type Estimate = NonNullable<Percentile['baseline']>

/** How times are spread: a mean hides the slow runs that people complain about. */
export function Tails({
  statistics: { latency_percentiles, ttft_percentiles },
}: {
  statistics: DiffStatistics
}) {
  return (
    <>
      {latency_percentiles !== null && (
        <Spread title="Latency, spread of all runs" percentiles={latency_percentiles} />
      )}
      {ttft_percentiles !== undefined && (
        <Spread title="Time to first token, spread of runs that succeeded" percentiles={ttft_percentiles} />
      )}
    </>
  )
}

function Spread({
  title,
  percentiles,
}: {
  title: string
  percentiles: NonNullable<DiffStatistics['ttft_percentiles']>
}) {
  const ends = PERCENTILE_NAMES.flatMap(name => [
    percentiles[name].baseline,
    percentiles[name].candidate,
  ]).map(estimate => estimate?.high ?? estimate?.estimate ?? 0)
  const ticks = niceTicks(Math.max(...ends))
  const most = ticks.at(-1) || 1
  return (
    <div class="tails">
      <h3>{title}</h3>
      <Changes what="Percentile" sides={['Baseline', 'Candidate', 'Change']}>
        {PERCENTILE_NAMES.map(name => {
          const { baseline, candidate, difference } = percentiles[name]
          return (
            <Row
              key={name}
              name={
                <>
                  {name === 'p50' ? 'p50, the median' : name}
                  <Range side="baseline" estimate={baseline} most={most} />
                  <Range side="candidate" estimate={candidate} most={most} />
                  {name === 'p99' && <Scale ticks={ticks} most={most} />}
                </>
              }
              cells={[
                valueOf(baseline),
                valueOf(candidate),
                difference === null ? (
                  <span class="faint">too few runs</span>
                ) : (
                  <>
                    {signed(difference.estimate, milliseconds)}{' '}
                    <span class="interval">{intervalText(difference, milliseconds, ' ms')}</span>
                  </>
                ),
              ]}
            />
          )
        })}
      </Changes>
    </div>
  )
}

/** The axis below the last of them: its figures are in the table too. */
function Scale({ ticks, most }: { ticks: readonly number[]; most: number }) {
  return (
    <span class="range-axis faint" aria-hidden="true">
      {ticks.map(tick => (
        <span key={tick} style={{ left: `${(tick / most) * 100}%` }}>
          {milliseconds(tick)}
        </span>
      ))}
    </span>
  )
}

const valueOf = (estimate: Estimate | null) =>
  estimate === null ? <span class="faint">too few runs</span> : milliseconds(estimate.estimate)

/** The percentile as a dot on a scale that all share, with its interval as a line. */
function Range({ side, estimate, most }: { side: string; estimate: Estimate | null; most: number }) {
  if (estimate === null) return null
  const at = (value: number): string => `${Math.min(100, (value / most) * 100)}%`
  const [low, high] = [estimate.low ?? estimate.estimate, estimate.high ?? estimate.estimate]
  return (
    <span class={`range ${side}`} aria-hidden="true">
      <span class="range-line" style={{ left: at(low), width: at(high - low) }} />
      <span class="range-dot" style={{ left: at(estimate.estimate) }} />
    </span>
  )
}
