/** Labels of a sample. Their values must come from a bounded set: each combination is kept for good. */
export type Labels = Readonly<Record<string, string>>

/** What is known of a metric beforehand. */
interface MetricSpec {
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
interface Tally<N extends string = string> {
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
    let known = series.get(name)
    if (known === undefined) series.set(name, (known = new Map()))
    const key = Object.values(labels).join('\n')
    let found = known.get(key)
    if (found === undefined) known.set(key, (found = { labels, value: 0, buckets: [] }))
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

/** Most series of a gauge whose labels the ledger's content makes: labels have to be bounded. */
const MOST_SERIES = 20

/** A gauge of the first 20 samples; nothing where there is none. */
export function boundedGauges(...[name, help, samples]: Parameters<typeof gauges>): Family[] {
  return samples.length === 0 ? [] : [gauges(name, help, samples.slice(0, MOST_SERIES))]
}

/** What a server counts of its own work. All labels are bounded: by the routes, by classes, by outcomes. */
const METRICS = {
  service_http_requests_total: {
    type: 'counter',
    help: 'Requests answered, by route, method and class of the status.',
  },
  service_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the beginning of its answer.',
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  service_run_events_received_total: {
    type: 'counter',
    help: 'Run events by result: stored, skipped because of a known run_id, or refused with their request; of traces, spans that make no run are refused.',
  },
  service_decisions_total: {
    type: 'counter',
    help: "Promotions and rollbacks that were recorded, by the policy's verdict.",
  },
  service_sign_ins_total: {
    type: 'counter',
    help: 'Sign-ins of people by result: opened, refused to somebody who is known, or failed.',
  },
} as const satisfies Readonly<Record<string, MetricSpec>>

export type ServerTally = Tally<keyof typeof METRICS>

/** A tally in which what is to be alerted on is 0 before it first happens. */
export function newServerTally(): ServerTally {
  const tally = newTally(METRICS)
  for (const outcome of ['stored', 'skipped', 'refused'] as const) countEvents(tally, outcome, 0)
  for (const action of ['promote', 'rollback'] as const) {
    for (const outcome of ['pass', 'block', 'inconclusive']) {
      tally.add('service_decisions_total', { action, outcome }, 0)
    }
  }
  tally.add('service_decisions_total', { action: 'rollback', outcome: 'forced' }, 0)
  for (const outcome of ['opened', 'refused', 'failed'] as const) countSignIn(tally, outcome, 0)
  return tally
}

/** Of an isolate of Workers: there are many, each lives for minutes, and a scrape asks any one of them. */
export const NO_TALLY: ServerTally = { add: () => {}, observe: () => {}, families: () => [] }

export function countEvents(
  tally: ServerTally,
  outcome: 'stored' | 'skipped' | 'refused',
  amount: number,
): void {
  tally.add('service_run_events_received_total', { outcome }, amount)
}

export function countSignIn(tally: ServerTally, outcome: 'opened' | 'refused' | 'failed', amount = 1): void {
  tally.add('service_sign_ins_total', { outcome }, amount)
}

export function countDecision(tally: ServerTally, action: 'promote' | 'rollback', outcome: string): void {
  tally.add('service_decisions_total', { action, outcome })
}

/** `route` is a path template, or one name for all that none matches; `status` an HTTP status. */
export function countRequest(
  tally: ServerTally,
  { route, method, status, seconds }: { route: string; method: string; status: number; seconds: number },
): void {
  const where = { route, method: METHODS.has(method) ? method : 'other' }
  tally.add('service_http_requests_total', { ...where, status: `${Math.floor(status / 100)}xx` })
  tally.observe('service_http_request_duration_seconds', where, seconds)
}

/** How many requests a server has answered. */
export function requestsOf(tally: ServerTally): number {
  const requests = tally.families().find(({ name }) => name === 'service_http_requests_total')
  return requests?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0
}

/** A client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
