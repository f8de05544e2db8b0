import { useSignal } from '../../../web/signal.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import type { RunSeries } from '../models.ts'
import { Chart } from '../../../web/components/charts/chart.tsx'
import { type Line, type Mark, decisionMark } from '../../../web/components/charts/series.ts'
import { Loaded } from '../../../web/components/states.tsx'
import { Words } from '../../../web/components/text.tsx'
import { type Format, MEASURES, count, exactTime } from '../../../web/format.ts'
import { useMarks } from '../../../web/components/panels.tsx'
import { type Known, get, useRead } from '../../../web/query.ts'
import { type Comparing, beat, slice, useActions } from '../../../web/reads.ts'
import { type Figure, mergedBuckets, pointsOf } from './buckets.ts'

interface Drawn {
  readonly title: string
  /** What is drawn of each bucket; runs where nothing is named. */
  readonly figure?: Figure
  readonly format: Format
  readonly limit: (typeof MEASURES)[number]['limit'] | null
}

const CHARTS: readonly Drawn[] = [
  ...MEASURES.map(({ name, figure, format, limit }) => ({ title: name, figure, format, limit })),
  { title: 'Runs', format: count, limit: null },
]

/** Both sides over time, with what was decided meanwhile. Without a baseline it is one release alone. */
export function Trend({
  comparing,
  agent,
  policy,
}: {
  comparing: Comparing
  agent: string
  policy: Policy | undefined
}) {
  const { baseline, candidate, environment } = comparing
  const before = useSeries(baseline, comparing)
  const after = useSeries(candidate, comparing)
  const marks = useAllMarks(agent, environment)
  const pointed = useSignal<number | undefined>(undefined)
  return (
    <Loaded known={after} lines={7}>
      {series => {
        const all = [...series.buckets, ...(before.data?.buckets ?? [])]
        if (all.length === 0) return <p class="faint">No runs in this window.</p>
        const starts = all.map(bucket => Date.parse(bucket.start))
        // A window that reaches far back would squeeze the runs into a corner.
        const since = Math.min(...starts)
        const until = Math.min(Date.parse(series.until), Math.max(...starts) + series.bucket_ms)
        return (
          <div class="charts">
            {CHARTS.map(({ title, figure, format, limit }) => (
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
                  ...(before.data === undefined ? [] : [toLine('baseline', before.data, figure)]),
                  toLine('candidate', series, figure, baseline === '' ? 'this release' : 'candidate'),
                ]}
              />
            ))}
            <Happened marks={marks.filter(({ at }) => at >= since && at <= until)} />
          </div>
        )
      }}
    </Loaded>
  )
}

/** What the marks of the charts mean. */
function Happened({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null
  return (
    <ul class="happened" aria-label="What happened meanwhile">
      {marks.map(({ at, label, kind }) => (
        <li key={`${at} ${label}`}>
          <span class={`tick-key ${kind}`}>{exactTime(at).slice(5, 16)}</span> <Words>{label}</Words>
        </li>
      ))}
    </ul>
  )
}

function toLine(
  kind: Line['kind'],
  series: RunSeries,
  figure: Figure | undefined,
  name: string = kind,
): Line {
  if (figure !== undefined) return { name, kind, points: pointsOf(mergedBuckets(series, figure), figure) }
  const { buckets } = series
  return { name, kind, points: buckets.map(({ start, runs }) => ({ at: Date.parse(start), value: runs })) }
}

/** Decisions, and what features know of that time; oldest first. */
function useAllMarks(agent: string, env: string): readonly Mark[] {
  const actions = useActions(agent === '' ? null : { agent, env, limit: 100 }).data?.actions ?? []
  return [...actions.map(decisionMark), ...useMarks(agent, env)].sort((x, y) => x.at - y.at)
}

/** One release of a comparison over time. */
function useSeries(release_id: string, comparing: Comparing): Known<RunSeries> {
  const isReady = release_id !== '' && comparing.environment !== ''
  return useRead<RunSeries>(
    isReady ? get('v1/runs/series', { release_id, ...slice(comparing) }) : null,
    beat(comparing, 60_000),
  )
}
