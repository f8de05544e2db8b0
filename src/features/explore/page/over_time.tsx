import type { RunSeries } from '../models.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import { useSignal } from '../../../web/signal.ts'
import { Chart } from '../../../web/components/charts/chart.tsx'
import { HUES, type Line, type Mark } from '../../../web/components/charts/series.ts'
import type { Drawn, Span } from '../../../web/components/panels.tsx'
import { type Format, MEASURES, count } from '../../../web/format.ts'
import { get, useRead } from '../../../web/query.ts'
import { ONCE_MS } from '../../../web/reads.ts'
import { type Figure, mergedBuckets, pointsOf } from './buckets.ts'

interface Charted {
  readonly title: string
  readonly figure: Figure
  readonly format: Format
  readonly limit: (typeof MEASURES)[number]['limit'] | null
}

const CHARTS: readonly Charted[] = [
  ...MEASURES.map(({ name, figure, format, limit }) => ({ title: name, figure, format, limit })),
  {
    title: 'Tokens per run',
    figure: 'tokens_per_run',
    format: value => count(Math.round(value)),
    limit: null,
  },
]

/** Releases of an agent on one axis of time: cost, latency, errors and tokens, each with what it may really be. */
export function OverTime({
  environment,
  releases,
  span,
  marks,
  policy,
}: {
  environment: string
  releases: readonly Drawn[]
  span: Span
  marks: readonly Mark[]
  policy: Policy | undefined
}) {
  const series = useAllSeries(releases, environment, span)
  const pointed = useSignal<number | undefined>(undefined)
  const known = releases.flatMap((release, index) => {
    const found = series[index]
    return found === undefined || found.buckets.length === 0 ? [] : [{ release, series: found }]
  })
  if (known.length === 0) {
    const isRead = releases.every((_, index) => series[index] !== undefined)
    return <p class="faint">{isRead ? 'No runs in this window.' : 'Reading runs…'}</p>
  }
  return (
    <div class="charts">
      {CHARTS.map(({ title, figure, format, limit }) => {
        const lines = known.map(({ release: { hue, name }, series: found }): Line => ({
          name,
          kind: hue,
          points: pointsOf(mergedBuckets(found, figure), figure),
        }))
        return (
          <Chart
            key={title}
            title={title}
            format={format}
            limit={limit === null ? null : (policy?.[limit] ?? null)}
            to={topOf(lines)}
            since={span.since}
            until={span.until}
            marks={marks.filter(({ at }) => at >= span.since && at <= span.until)}
            pointed={pointed}
            lines={lines}
          />
        )
      })}
    </div>
  )
}

/** Bands belong to the picture, but for those that would press the rest flat. */
function topOf(lines: readonly Line[]): number {
  const points = lines.flatMap(line => line.points)
  const most = Math.max(0, ...points.map(({ value }) => value ?? 0))
  return Math.min(2 * most, Math.max(0, ...points.map(({ spread }) => spread?.[1] ?? 0)))
}

/** The series of each release. Hooks are as many at each drawing: one per colour. */
function useAllSeries(
  releases: readonly Drawn[],
  environment: string,
  { since, until, isOpen }: Span,
): readonly (RunSeries | undefined)[] {
  const window = `${Math.max(1, Math.round((until - since) / 60_000))}m`
  const end = isOpen ? undefined : new Date(until).toISOString()
  return HUES.map((_, index) => {
    const release_id = releases[index]?.release_id
    const call =
      release_id === undefined ? null : get('v1/runs/series', { release_id, environment, window, until: end })
    return useRead<RunSeries>(call, isOpen ? 60_000 : ONCE_MS).data
  })
}
