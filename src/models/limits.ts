/** Percentiles of the latency that are measured. */
export const PERCENTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
export type PercentileName = keyof typeof PERCENTILES
export const PERCENTILE_NAMES = Object.keys(PERCENTILES) as PercentileName[]

/**
 * Limits of a policy that are one number: what each is on, and in what unit. A row here and the key in the policy's model
 * (documents/policy.ts) make a limit; what decides, words it, and shows it reads these.
 */
export const LIMITS = [
  {
    key: 'max_cost_per_run_usd',
    on: 'candidate',
    metric: 'cost_per_run_usd',
    unit: 'usd',
    what: 'Cost per run',
  },
  { key: 'max_latency_ms', on: 'candidate', metric: 'latency_ms', unit: 'ms', what: 'Latency, mean' },
  { key: 'max_error_rate', on: 'candidate', metric: 'error_rate', unit: 'share', what: 'Error rate' },
  { key: 'max_cost_increase_pct', on: 'change', metric: 'cost_per_run_usd', unit: 'rise', what: 'cost' },
  { key: 'max_latency_increase_pct', on: 'change', metric: 'latency_ms', unit: 'rise', what: 'latency' },
  { key: 'max_error_rate_increase', on: 'change', metric: 'error_rate', unit: 'points', what: 'error rate' },
  { key: 'max_latency_p90_ms', on: 'tail', percentile: 'p90', unit: 'ms' },
  { key: 'max_latency_p95_ms', on: 'tail', percentile: 'p95', unit: 'ms' },
  { key: 'max_latency_p99_ms', on: 'tail', percentile: 'p99', unit: 'ms' },
  { key: 'max_latency_p90_increase_pct', on: 'tail_change', percentile: 'p90', unit: 'rise' },
  { key: 'max_latency_p95_increase_pct', on: 'tail_change', percentile: 'p95', unit: 'rise' },
  { key: 'max_latency_p99_increase_pct', on: 'tail_change', percentile: 'p99', unit: 'rise' },
  {
    key: 'max_segment_cost_increase_pct',
    on: 'segment',
    metric: 'cost_per_run_usd',
    unit: 'rise',
    what: 'cost',
  },
  {
    key: 'max_segment_latency_increase_pct',
    on: 'segment',
    metric: 'latency_ms',
    unit: 'rise',
    what: 'latency',
  },
  {
    key: 'max_segment_error_rate_increase',
    on: 'segment',
    metric: 'error_rate',
    unit: 'points',
    what: 'error rate',
  },
  {
    key: 'max_tool_calls_increase_pct',
    on: 'tools',
    metric: 'tool_calls_per_run',
    unit: 'rise',
    what: 'tool calls',
  },
] as const

export type Limit = (typeof LIMITS)[number]
type On<T extends Limit['on']> = Extract<Limit, { readonly on: T }>

/** The limits on one thing. */
export function limitsOn<T extends Limit['on']>(on: T): readonly On<T>[] {
  return LIMITS.filter((limit): limit is On<T> => limit.on === on)
}

export function limitOf(key: string): Limit | undefined {
  return LIMITS.find(limit => limit.key === key)
}

/** What a limit is on, as a page calls it. */
export function limitLabel(limit: Limit): string {
  if (limit.on === 'candidate') return limit.what
  if (limit.on === 'tail') return `Latency, ${limit.percentile}`
  if (limit.on === 'tail_change') return `Rise of the latency, ${limit.percentile}`
  if (limit.on === 'tools') return `Rise of ${limit.what}`
  return `Rise of the ${limit.what}${limit.on === 'segment' ? ' for any tenant or task' : ''}`
}

/** What a function says of the share of runs at each percentile whose rise can be limited. */
export function ofTailRises<T>(of: (share: number) => T): Record<On<'tail_change'>['percentile'], T> {
  const entries = limitsOn('tail_change').map(({ percentile }) => [percentile, of(PERCENTILES[percentile])])
  return Object.fromEntries(entries) as Record<On<'tail_change'>['percentile'], T>
}
