import { useSignal } from '../signal.ts'
import type { Policy } from '../../models/documents/policy.ts'
import type { RunSeries } from '../../features/explore/models.ts'
import { Chart } from '../ui/charts/chart.tsx'
import { type Line, type Mark, decisionMark } from '../ui/charts/series.ts'
import { Segments } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Format, MEASURES, count } from '../format.ts'
import { type Known, get, useRead } from '../query.ts'
import { type Comparing, beat, slice, useActions } from '../reads.ts'
import { change, param } from '../route.ts'
import { type Figure, mergedBuckets, pointsOf } from './buckets.ts'

interface Drawn {
  readonly key: string
  readonly title: string
  /** What is drawn of each bucket; runs where nothing is named. */
  readonly figure?: Figure
  readonly format: Format
  readonly limit: (typeof MEASURES)[number]['limit'] | null
}

const CHARTS: readonly Drawn[] = [
  ...['latency', 'errors', 'cost'].map((key, index): Drawn => {
    const { name, figure, format, limit } = [MEASURES[1], MEASURES[2], MEASURES[0]][index]!
    return { key, title: name, figure, format, limit }
  }),
  { key: 'runs', title: 'Runs', format: count, limit: null },
]

/** Both sides over time, a measure at once, with what was decided meanwhile. */
export function OverTime({
  comparing,
  agent,
  policy,
  names,
}: {
  comparing: Comparing
  agent: string
  policy: Policy | undefined
  /** What the two sides are called. */
  names: readonly [before: string, now: string]
}) {
  const { baseline, candidate, environment } = comparing
  const before = useSeries(baseline, comparing)
  const after = useSeries(candidate, comparing)
  const marks = useMarks(agent, environment)
  const pointed = useSignal<number | undefined>(undefined)
  const chart = CHARTS.find(({ key }) => key === param('chart')) ?? CHARTS[0]!
  return (
    <Section
      title="Over time"
      aside={
        <Segments
          label="Measure over time"
          value={chart.key}
          options={CHARTS.map(({ key, title }) => [key, title] as const)}
          onChange={key => change({ chart: key }, { replace: true })}
        />
      }
    >
      <Loaded known={after} lines={7}>
        {series => {
          const all = [...series.buckets, ...(before.data?.buckets ?? [])]
          if (all.length === 0) return <p class="faint">No runs in this window.</p>
          const starts = all.map(bucket => Date.parse(bucket.start))
          // A window that reaches far back would squeeze the runs into a corner.
          const since = Math.min(...starts)
          const until = Math.min(Date.parse(series.until), Math.max(...starts) + series.bucket_ms)
          const { title, figure, format, limit } = chart
          return (
            <Chart
              key={title}
              title={title}
              format={format}
              limit={limit === null ? null : (policy?.[limit] ?? null)}
              since={since}
              until={Math.max(until, since + series.bucket_ms)}
              marks={marks.filter(({ at }) => at >= since && at <= until)}
              pointed={pointed}
              lines={[
                ...(before.data === undefined ? [] : [toLine('baseline', before.data, figure, names[0])]),
                toLine('candidate', series, figure, names[1]),
              ]}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}

function toLine(kind: Line['kind'], series: RunSeries, figure: Figure | undefined, name: string): Line {
  if (figure !== undefined) return { name, kind, points: pointsOf(mergedBuckets(series, figure), figure) }
  const { buckets } = series
  return { name, kind, points: buckets.map(({ start, runs }) => ({ at: Date.parse(start), value: runs })) }
}

/** Decisions here, oldest first. */
function useMarks(agent: string, env: string): readonly Mark[] {
  const actions = useActions(agent === '' ? null : { agent, env, limit: 100 }).data?.actions ?? []
  return actions.map(decisionMark).toReversed()
}

/** One release of a comparison over time. */
function useSeries(release_id: string, comparing: Comparing): Known<RunSeries> {
  const isReady = release_id !== '' && comparing.environment !== ''
  return useRead<RunSeries>(
    isReady ? get('v1/runs/series', { release_id, ...slice(comparing) }) : null,
    beat(comparing, 60_000),
  )
}
