import { useSignal } from '../../../web/signal.ts'
import type { Policy } from '../../../models/documents/policy.ts'
import type { RunSeries } from '../../../models/answers/runs.ts'
import { wilson } from '../../../rules/statistics/rates.ts'
import { Chart } from '../../../web/components/charts/chart.tsx'
import type { Line, Mark } from '../../../web/components/charts/series.ts'
import { Loaded } from '../../../web/components/states.tsx'
import { type Format, MEASURES, count } from '../../../web/format.ts'
import { useMarks } from '../../../web/components/panels.tsx'
import { type Known, get, useRead } from '../../../web/query.ts'
import { type Comparing, beat, slice, useActions } from '../../../web/reads.ts'
import type { ActionRecord } from '../../../models/answers/action.ts'

type Bucket = RunSeries['buckets'][number]
type Spread = readonly [low: number, high: number]

interface Drawn {
  readonly title: string
  readonly of: (bucket: Bucket) => number | null
  readonly spread?: (bucket: Bucket) => Spread
  readonly format: Format
  readonly limit: (typeof MEASURES)[number]['limit'] | null
}

const CHARTS: readonly Drawn[] = [
  ...MEASURES.map(({ name, figure, format, limit }) => ({
    title: name,
    of: (bucket: Bucket) => bucket[figure],
    format,
    limit,
    ...(figure === 'error_rate' ? { spread: errorSpread } : {}),
  })),
  { title: 'Runs', of: ({ runs }) => runs, format: count, limit: null },
]

/** What 95 of 100 such intervals hold: few runs say little of a rate. */
function errorSpread({ runs, error_rate }: Bucket): Spread {
  const { low, high } = wilson({ runs, events: error_rate * runs }, 1.96)
  return [low ?? 0, high ?? 1]
}

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
            {CHARTS.map(({ title, of, spread, format, limit }) => (
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
                  ...(before.data === undefined ? [] : [toLine('baseline', before.data, of, spread)]),
                  toLine('candidate', series, of, spread, baseline === '' ? 'this release' : 'candidate'),
                ]}
              />
            ))}
          </div>
        )
      }}
    </Loaded>
  )
}

/** The bucket that is not over yet holds too few runs to be compared with the others. */
function toLine(
  kind: Line['kind'],
  { buckets, bucket_ms, until }: RunSeries,
  of: (bucket: Bucket) => number | null,
  spread: Drawn['spread'],
  name: string = kind,
): Line {
  const isOver = ({ start }: Bucket): boolean => Date.parse(start) + bucket_ms <= Date.parse(until)
  const whole = buckets.filter(isOver)
  return {
    name,
    kind,
    points: (whole.length > 0 ? whole : buckets).map(bucket => ({
      at: Date.parse(bucket.start),
      value: of(bucket),
      ...(spread === undefined ? {} : { spread: spread(bucket) }),
    })),
  }
}

/** Decisions, and what features know of that time; oldest first. */
function useAllMarks(agent: string, env: string): readonly Mark[] {
  const actions = useActions(agent === '' ? null : { agent, env, limit: 100 }).data?.actions ?? []
  return [...actions.map(ofAction), ...useMarks(agent, env)].sort((x, y) => x.at - y.at)
}

function ofAction({ action, policy_passed, forced, created_at, actor }: ActionRecord): Mark {
  const outcome = forced === true ? 'forced' : policy_passed ? 'passed' : 'blocked'
  return {
    at: Date.parse(created_at),
    label: `${action === 'promote' ? 'promotion' : 'rollback'} ${outcome}, by ${actor}`,
    kind: outcome === 'blocked' ? 'blocked' : action,
  }
}

/** One release of a comparison over time. */
function useSeries(release_id: string, comparing: Comparing): Known<RunSeries> {
  const isReady = release_id !== '' && comparing.environment !== ''
  return useRead<RunSeries>(
    isReady ? get('v1/runs/series', { release_id, ...slice(comparing) }) : null,
    beat(comparing, 60_000),
  )
}
