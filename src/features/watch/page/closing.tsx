import { useSignal } from '../../../web/signal.ts'
import type { WatchDetail } from '../../../models/answers/watch.ts'
import { Chart } from '../../../web/components/charts/chart.tsx'
import type { Line } from '../../../web/components/charts/series.ts'
import { type Format, percent, points } from '../../../web/format.ts'

const MEASURES = [
  ['latency_ms', 'Rise of the latency', percent],
  ['cost_per_run_usd', 'Rise of the cost', percent],
  ['error_rate', 'Rise of the error rate', points],
] as const satisfies readonly (readonly [keyof WatchDetail['limits'], string, Format])[]

type Measure = (typeof MEASURES)[number]

/** A watch as its looks saw it: what was measured, and what is proven by then, which closes in on it. */
export function Closing({ watch }: { watch: WatchDetail }) {
  const pointed = useSignal<number | undefined>(undefined)
  const times = watch.history.map(({ at }) => Date.parse(at))
  const since = Math.min(Date.parse(watch.started_at), ...times)
  const until = Math.max(...times, since + 1)
  return (
    <div class="charts">
      {MEASURES.map(measure => (
        <Chart
          key={measure[0]}
          title={measure[1]}
          format={measure[2]}
          limit={watch.limits[measure[0]]}
          floor={floorOf(watch, measure)}
          since={since}
          until={until}
          pointed={pointed}
          lines={linesOf(watch, measure)}
        />
      ))}
    </div>
  )
}

function linesOf({ history }: WatchDetail, [metric]: Measure): readonly Line[] {
  const line = (name: string, kind: Line['kind'], of: 'change' | 'low'): Line => ({
    name,
    kind,
    points: history.map(({ at, metrics }) => ({ at: Date.parse(at), value: metrics[metric][of] })),
  })
  return [line('measured', 'candidate', 'change'), line('proven, at least', 'baseline', 'low')]
}

/** The first looks prove next to nothing: as far below 0 as that reaches, nobody could read the rest. */
function floorOf({ history, limits }: WatchDetail, [metric]: Measure): number {
  const changes = history.map(({ metrics }) => Math.abs(metrics[metric].change ?? 0))
  return -2 * Math.max(0.05, limits[metric], ...changes.slice(-10))
}
