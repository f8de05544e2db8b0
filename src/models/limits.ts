/** Percentiles of the latency that are measured. */
export const PERCENTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
export type PercentileName = keyof typeof PERCENTILES
export const PERCENTILE_NAMES = Object.keys(PERCENTILES) as PercentileName[]

/** Times of a run of which percentiles are measured, and what they are called. */
export const TIMES = { latency: 'latency', ttft: 'time to first token' } as const
export type TimeName = keyof typeof TIMES

/** A limit on a percentile, and one on its rise. */
type TailLimits<T extends TimeName, P extends PercentileName> = {
  readonly [name in P]:
    | { readonly key: `max_${T}_${name}_ms`; readonly on: 'tail'; readonly unit: 'ms' }
    | { readonly key: `max_${T}_${name}_increase_pct`; readonly on: 'tail_change'; readonly unit: 'rise' }
}[P] & {
  readonly time: T
  readonly metric: `${T}_ms`
  readonly percentile: P
  readonly what: string
  readonly about: string
}

function tailLimits<T extends TimeName, P extends PercentileName>(time: T, percentiles: readonly P[]) {
  const row = (percentile: P, ends: object, about: (nth: string) => string) => {
    const nth = `${percentile.slice(1)}th percentile of the ${TIMES[time]}`
    return { ...ends, time, metric: `${time}_ms`, percentile, what: TIMES[time], about: about(nth) }
  }
  return [
    ...percentiles.map(name =>
      row(
        name,
        { key: `max_${time}_${name}_ms`, on: 'tail', unit: 'ms' },
        nth => `Highest ${nth}, milliseconds. Decided by its interval.`,
      ),
    ),
    ...percentiles.map(name =>
      row(
        name,
        { key: `max_${time}_${name}_increase_pct`, on: 'tail_change', unit: 'rise' },
        nth =>
          `Largest rise of the ${nth} over the time in which both ran, a fraction. Decided by its interval.`,
      ),
    ),
  ] as unknown as readonly TailLimits<T, P>[]
}

/**
 * Limits of a policy that are one number: what each is on, in what unit, and what is said of its key. A row is a limit:
 * the policy's model, what decides it, words it, and shows it read these.
 */
export const LIMITS = [
  {
    key: 'max_cost_per_run_usd',
    on: 'candidate',
    metric: 'cost_per_run_usd',
    unit: 'usd',
    what: 'Cost per run',
    about: 'Highest mean cost per run, USD.',
  },
  {
    key: 'max_latency_ms',
    on: 'candidate',
    metric: 'latency_ms',
    unit: 'ms',
    what: 'Latency, mean',
    about: 'Highest mean latency, milliseconds.',
  },
  {
    key: 'max_error_rate',
    on: 'candidate',
    metric: 'error_rate',
    unit: 'share',
    what: 'Error rate',
    about: 'Highest share of failed runs, 0 to 1.',
  },
  {
    key: 'max_cost_increase_pct',
    on: 'change',
    metric: 'cost_per_run_usd',
    unit: 'rise',
    what: 'cost',
    about: 'Largest rise of the mean cost per run, a fraction: 0.1 is +10 %. Decided by its interval.',
  },
  {
    key: 'max_latency_increase_pct',
    on: 'change',
    metric: 'latency_ms',
    unit: 'rise',
    what: 'latency',
    about: 'Largest rise of the mean latency, a fraction. Decided by its interval.',
  },
  {
    key: 'max_error_rate_increase',
    on: 'change',
    metric: 'error_rate',
    unit: 'points',
    what: 'error rate',
    about: 'Largest rise of the error rate: 0.02 is two points. Decided by its interval.',
  },
  ...tailLimits('latency', ['p90', 'p95', 'p99']),
  {
    key: 'max_ttft_ms',
    on: 'mean',
    metric: 'ttft_ms',
    unit: 'ms',
    what: 'time to first token',
    about:
      'Highest mean time to the first token of runs that succeeded and report it, milliseconds. Decided by its interval.',
  },
  {
    key: 'max_ttft_increase_pct',
    on: 'further_change',
    metric: 'ttft_ms',
    unit: 'rise',
    what: 'time to first token',
    about: 'Largest rise of the mean time to the first token, a fraction. Decided by its interval.',
  },
  ...tailLimits('ttft', ['p90', 'p95', 'p99']),
  {
    key: 'max_segment_cost_increase_pct',
    on: 'segment',
    metric: 'cost_per_run_usd',
    unit: 'rise',
    what: 'cost',
    about:
      'Largest rise of the mean cost per run for any tenant or task, a fraction. Blocks only a proven larger rise.',
  },
  {
    key: 'max_segment_latency_increase_pct',
    on: 'segment',
    metric: 'latency_ms',
    unit: 'rise',
    what: 'latency',
    about:
      'Largest rise of the mean latency for any tenant or task, a fraction. Blocks only a proven larger rise.',
  },
  {
    key: 'max_segment_error_rate_increase',
    on: 'segment',
    metric: 'error_rate',
    unit: 'points',
    what: 'error rate',
    about:
      'Largest rise of the error rate for any tenant or task: 0.02 is two points. Blocks only a proven larger rise.',
  },
  {
    key: 'max_tool_calls_increase_pct',
    on: 'further_change',
    metric: 'tool_calls_per_run',
    unit: 'rise',
    what: 'tool calls',
    about: 'Largest rise of the mean number of tool calls per run, a fraction. Decided by its interval.',
  },
] as const

export type Limit = (typeof LIMITS)[number]
type On<T extends Limit['on']> = Extract<Limit, { readonly on: T }>

export function limitsOn<T extends Limit['on']>(on: T): readonly On<T>[] {
  return LIMITS.filter((limit): limit is On<T> => limit.on === on)
}

export function limitOf(key: string): Limit | undefined {
  return LIMITS.find(limit => limit.key === key)
}

/** What a limit is on, as a page calls it. */
export function limitLabel(limit: Limit): string {
  if (limit.on === 'candidate') return limit.what
  if (limit.on === 'tail') return `${capitalised(limit.what)}, ${limit.percentile}`
  if (limit.on === 'tail_change') return `Rise of the ${limit.what}, ${limit.percentile}`
  if (limit.on === 'mean') return `${capitalised(limit.what)}, mean`
  if (limit.metric === 'tool_calls_per_run') return `Rise of ${limit.what}`
  return `Rise of the ${limit.what}${limit.on === 'segment' ? ' for any tenant or task' : ''}`
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a function says of the share of runs at each percentile whose rise can be limited. */
export function ofTailRises<T>(of: (share: number) => T): Record<On<'tail_change'>['percentile'], T> {
  const entries = limitsOn('tail_change').map(({ percentile }) => [percentile, of(PERCENTILES[percentile])])
  return Object.fromEntries(entries) as Record<On<'tail_change'>['percentile'], T>
}
