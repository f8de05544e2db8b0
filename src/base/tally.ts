/** Labels of a sample. Their values must come from a bounded set: each combination is kept for good. */
export type Labels = Readonly<Record<string, string>>

/** What is known of a metric beforehand. */
export interface MetricSpec {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Upper bounds of a histogram's buckets, ascending, without the last one, which has none. */
  readonly bounds?: readonly number[]
}

/** A metric as it is scraped. `suffix` is what a sample's name has behind the metric's. */
export interface Family extends MetricSpec {
  readonly name: string
  readonly samples: readonly { readonly suffix: string; readonly labels: Labels; readonly value: number }[]
}

/** What a process counts of its own work, from its start on. */
export interface Tally<N extends string = string> {
  /** Adds to a counter, 1 unless it says otherwise. */
  add(name: N, labels: Labels, amount?: number): void
  /** Puts a value in a histogram. */
  observe(name: N, labels: Labels, value: number): void
  families(): readonly Family[]
}

interface Series {
  readonly labels: Labels
  value: number
  /** How many values of a histogram fell in each bucket; the last one has no bound. */
  readonly buckets: number[]
}

/** Counts metrics of the given names. */
export function newTally<N extends string>(specs: Readonly<Record<N, MetricSpec>>): Tally<N> {
  const series = new Map<N, Map<string, Series>>()

  function seriesOf(name: N, labels: Labels): Series {
    const known = series.get(name) ?? new Map<string, Series>()
    series.set(name, known)
    const key = Object.values(labels).join('\n')
    const found = known.get(key) ?? { labels, value: 0, buckets: [] }
    known.set(key, found)
    return found
  }

  return {
    add: (name, labels, amount = 1) => void (seriesOf(name, labels).value += amount),
    observe: (name, labels, value) => {
      const found = seriesOf(name, labels)
      const above = specs[name].bounds!.findIndex(bound => value <= bound)
      const bucket = above < 0 ? specs[name].bounds!.length : above
      found.buckets[bucket] = (found.buckets[bucket] ?? 0) + 1
      found.value += value
    },
    families: () =>
      Object.entries<MetricSpec>(specs).map(([name, spec]) => ({
        name,
        ...spec,
        samples: [...(series.get(name as N)?.values() ?? [])].flatMap(({ labels, value, buckets }) =>
          spec.bounds === undefined
            ? [{ suffix: '', labels, value }]
            : histogramSamples(labels, spec.bounds, buckets, value),
        ),
      })),
  }
}

/** The samples of a histogram: buckets add up to the right, and the last one holds all. */
export function histogramSamples(
  labels: Labels,
  bounds: readonly number[],
  buckets: readonly (number | undefined)[],
  sum: number,
): Family['samples'] {
  let count = 0
  const cumulative = [...bounds, '+Inf'].map((bound, index) => {
    count += buckets[index] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: count }
  })
  return [...cumulative, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }]
}

/** A gauge of one value. */
export function gauge(name: string, help: string, value: number): Family {
  return gauges(name, help, [[{}, value]])
}

/** A gauge of a value for each labels. */
export function gauges(name: string, help: string, samples: readonly (readonly [Labels, number])[]): Family {
  return {
    name,
    help,
    type: 'gauge',
    samples: samples.map(([labels, value]) => ({ suffix: '', labels, value })),
  }
}
