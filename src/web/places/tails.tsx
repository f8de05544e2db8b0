import { PERCENTILE_NAMES } from '../../models/limits.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { Changes, Row } from '../ui/changes.tsx'
import { milliseconds, signed } from '../format.ts'
import { intervalText } from '../ui/change.ts'

type Percentiles = Omit<NonNullable<DiffStatistics['latency_percentiles']>, 'known_since'>
type Estimate = NonNullable<Percentiles['p50']['baseline']>

/** How times are spread: a mean hides the slow runs that people complain about. */
export function Tails({
  statistics: { latency_percentiles: latency, ttft_percentiles: ttft },
}: {
  statistics: DiffStatistics
}) {
  if (latency === null) return null
  return (
    <details class="raw">
      <summary>Percentiles of the latency</summary>
      <Spread title="All runs" percentiles={latency} />
      {ttft !== undefined && (
        <Spread title="Time to first token, of runs that succeeded" percentiles={ttft} />
      )}
    </details>
  )
}

function Spread({ title, percentiles }: { title: string; percentiles: Percentiles }) {
  return (
    <>
      <h3>{title}</h3>
      <Changes what="Percentile" sides={['Baseline', 'Candidate', 'Change']}>
        {PERCENTILE_NAMES.map(name => {
          const { baseline, candidate, difference } = percentiles[name]
          return (
            <Row
              key={name}
              name={name === 'p50' ? 'p50, the median' : name}
              cells={[
                valueOf(baseline),
                valueOf(candidate),
                difference === null
                  ? TOO_FEW
                  : `${signed(difference.estimate, milliseconds)} ${intervalText(difference, milliseconds, ' ms')}`,
              ]}
            />
          )
        })}
      </Changes>
    </>
  )
}

const TOO_FEW = 'too few runs'

const valueOf = (estimate: Estimate | null): string =>
  estimate === null ? TOO_FEW : milliseconds(estimate.estimate)
