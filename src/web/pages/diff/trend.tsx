import type { Policy } from '../../../models/documents/policy.ts'
import type { RunSeries } from '../../../models/answers/runs.ts'
import { Chart, type Line } from '../../components/charts/chart.tsx'
import { Loaded } from '../../components/states.tsx'
import { count, milliseconds, percent, usd } from '../../format.ts'
import { useSeries } from '../../reads.ts'

type Bucket = RunSeries['buckets'][number]

const MEASURES = [
  {
    title: 'Cost per run',
    of: (b: Bucket) => b.cost_per_run_usd,
    format: usd,
    limit: 'max_cost_per_run_usd',
  },
  {
    title: 'Latency, mean',
    of: (b: Bucket) => b.latency_ms_avg,
    format: milliseconds,
    limit: 'max_latency_ms',
  },
  { title: 'Error rate', of: (b: Bucket) => b.error_rate, format: percent, limit: 'max_error_rate' },
  { title: 'Runs', of: (b: Bucket) => b.runs, format: count, limit: null },
] as const

/** Both sides over time. Without a baseline it is one release alone. */
export function Trend({
  baseline,
  candidate,
  window,
  environment,
  policy,
}: {
  baseline: string
  candidate: string
  window: string
  environment: string
  policy: Policy | undefined
}) {
  const before = useSeries(baseline, window, environment)
  const after = useSeries(candidate, window, environment)
  return (
    <Loaded known={after} lines={7}>
      {series => {
        const all = [...series.buckets, ...(before.data?.buckets ?? [])]
        if (all.length === 0) return <p class="faint">No runs in this window.</p>
        const starts = all.map(bucket => Date.parse(bucket.start))
        // A window that reaches far back would squeeze the runs into a corner.
        const since = Math.min(...starts)
        const until = Math.max(Math.max(...starts), since + series.bucket_ms)
        return (
          <div class="charts">
            {MEASURES.map(({ title, of, format, limit }) => (
              <Chart
                key={title}
                title={title}
                format={format}
                limit={limit === null ? null : (policy?.[limit] ?? null)}
                since={since}
                until={until}
                lines={[
                  ...(before.data === undefined ? [] : [toLine('baseline', before.data, of)]),
                  toLine('candidate', series, of, baseline === '' ? 'this release' : 'candidate'),
                ]}
              />
            ))}
          </div>
        )
      }}
    </Loaded>
  )
}

function toLine(
  kind: Line['kind'],
  { buckets }: RunSeries,
  of: (bucket: Bucket) => number | null,
  name: string = kind,
): Line {
  return {
    name,
    kind,
    points: buckets.map(bucket => ({ at: Date.parse(bucket.start), value: of(bucket) })),
  }
}
