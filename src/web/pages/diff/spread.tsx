import { PERCENTILES, PERCENTILE_NAMES } from '../../../models/limits.ts'
import { useSignal } from '../../signal.ts'
import type { StoredEvent } from '../../../models/documents/stored_event.ts'
import { eventCostUsd } from '../../../rules/cost.ts'
import { Chart } from '../../components/charts/chart.tsx'
import type { Line, Mark } from '../../components/charts/series.ts'
import { Section } from '../../components/page.tsx'
import { type Format, milliseconds, percent, usd } from '../../format.ts'
import { type Comparing, slice, usePricingTable, useRelease, useRuns } from '../../reads.ts'
import { change, param } from '../../route.ts'
import { niceTicks } from '../../components/charts/series.ts'

/** Most runs of a side that the API gives at once. */
const NEWEST = 500

/** How cost and latency of single runs are spread, old next to new: a mean hides what is at the ends. */
export function Spread({ comparing }: { comparing: Comparing }) {
  const isOpen = param('spread') === 'open'
  return (
    <Section
      title="Spread of single runs"
      aside={
        <button
          type="button"
          class="button small"
          aria-expanded={isOpen}
          onClick={() => change({ spread: isOpen ? null : 'open' }, { replace: true })}
        >
          {isOpen ? 'Hide' : `Show the newest ${NEWEST} runs of each`}
        </button>
      }
    >
      {isOpen && <Spreads comparing={comparing} />}
    </Section>
  )
}

function Spreads({ comparing }: { comparing: Comparing }) {
  const baseline = useValues(comparing.baseline, comparing)
  const candidate = useValues(comparing.candidate, comparing)
  if (baseline === undefined || candidate === undefined) return <p class="faint">Reading runs…</p>
  return (
    <div class="charts">
      <Distribution title="Latency" format={milliseconds} sides={[baseline.latency, candidate.latency]} />
      <Distribution title="Cost" format={usd} sides={[baseline.cost, candidate.cost]} />
    </div>
  )
}

interface Values {
  readonly latency: readonly number[]
  readonly cost: readonly number[]
}

/** Latencies and costs of the newest runs of a side; undefined until they are read. */
function useValues(release_id: string, comparing: Comparing): Values | undefined {
  const runs = useRuns({ release_id, ...slice(comparing), limit: NEWEST }).data?.events
  const reference = useRelease(release_id).data?.artifact_json.spec.pricing_reference
  const table = usePricingTable(reference?.provider ?? '', reference?.pricing_version ?? '')
  if (runs === undefined || (table.data === undefined && table.error === undefined)) return undefined
  const rates = new Map(table.data?.entries.map(entry => [entry.model, entry]))
  const known = (of: (event: StoredEvent) => number | null): number[] =>
    runs.map(of).filter(value => value !== null)
  return {
    latency: known(({ metrics }) => metrics.latency_ms),
    cost: known(event => (event.type === 'run_end' ? eventCostUsd(event, rates) : null)),
  }
}

function Distribution({
  title,
  format,
  sides: [before, after],
}: {
  title: string
  format: Format
  sides: readonly [readonly number[], readonly number[]]
}) {
  const pointed = useSignal<number | undefined>(undefined)
  const bins = binsOf([...before, ...after])
  const line = (kind: Line['kind'], values: readonly number[]): Line => ({
    kind,
    name: kind,
    points: pointsOf(histogramOf(values, bins)),
  })
  return (
    <Chart
      title={`${title} of single runs, share of runs`}
      along={format}
      format={percent}
      limit={null}
      since={0}
      until={bins.width * bins.count}
      marks={[...marksOf('baseline', before, format), ...marksOf('candidate', after, format)]}
      pointed={pointed}
      lines={[line('baseline', before), line('candidate', after)]}
    />
  )
}

const pointsOf = ({ width, shares }: Histogram): Line['points'] =>
  shares.map((value, index) => ({ at: index * width, value }))

function marksOf(kind: Line['kind'], values: readonly number[], format: Format): Mark[] {
  if (values.length === 0) return []
  return PERCENTILE_NAMES.map(name => {
    const at = quantileOf(values, PERCENTILES[name])
    return { at, kind, label: `${name} of the ${kind}: ${format(at)}` }
  })
}

interface Bins {
  readonly width: number
  readonly count: number
}

interface Histogram extends Bins {
  /** Share of the values in each bin; null where there are no values. */
  readonly shares: readonly (number | null)[]
}

/** About so many bins show a shape without showing chance. */
const WANTED = 24

/** Bins of a round width from 0 on. The last one also holds what lies beyond: one run of hours would flatten all others. */
function binsOf(values: readonly number[]): Bins {
  const end = values.length === 0 ? 1 : quantileOf(values, 0.995) * 1.05 || 1
  const width = niceTicks((end / WANTED) * 3)[1]!
  return { width, count: Math.max(1, Math.ceil(end / width)) }
}

function histogramOf(values: readonly number[], { width, count }: Bins): Histogram {
  const counts = Array.from({ length: count }, () => 0)
  for (const value of values) counts[Math.min(count - 1, Math.floor(value / width))]! += 1
  return {
    width,
    count,
    shares: counts.map(each => (values.length === 0 ? null : each / values.length)),
  }
}

/** The value that a share of all stays within (nearest rank); of at least one value. */
function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!
}
