import type { PricingEntry } from '../../models/documents/pricing.ts'
import type { RunSeries } from './models.ts'
import { sideMetrics, unpricedModels } from '../../rules/cost.ts'
import { round12 } from '../../base/numbers.ts'
import { type VariantSums, addSums } from '../../rules/rollup.ts'
import { DAY_MS, MINUTE_MS, isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, together } from '../../sql/query.ts'
import { readWindowQuery } from '../../ledger/world/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { ratesIfAny } from '../../ledger/registry/pricing.ts'
import { knownRelease, pricedReleaseQuery } from '../../ledger/registry/release_facts.ts'
import { type Slots, matchingPartSeries, partSeriesStatement, toPartSums } from '../../ledger/events/parts.ts'
import { matchingEvents } from '../../ledger/events/matching.ts'
import { type Filters, isFiltered, scopeCte, toVariantSums } from '../../ledger/events/rollups.ts'

interface SeriesQuery {
  readonly release_id: string
  readonly window: string
  readonly until?: string | null | undefined
  readonly environment: string | null
  readonly tenant_id?: string | null | undefined
  readonly task_id?: string | null | undefined
}

/**
 * What a release's runs were like over a window, bucket by bucket, from rollups alone: its cost doesn't grow with
 * the number of events, unless a filter asks for those of a tenant or task. Buckets are whole, so the first may start
 * before the window does.
 */
export async function runSeries(ledger: Ledger, query: SeriesQuery): Promise<RunSeries> {
  const { environment, window, refuseWindow } = readWindowQuery(ledger, query)
  const minutes = bucketMinutes(window)
  const slots = slotsOf(window, minutes)
  const filters = { tenant_id: query.tenant_id ?? null, task_id: query.task_id ?? null }
  const { release_id } = query
  const [ofRuns, ofParts] = isFiltered(filters)
    ? matchingSums(release_id, environment, window, minutes, filters)
    : [bucketSums(release_id, environment, slots), partSeriesStatement(release_id, environment, slots)]
  const { priced, sums, parts } = await ask(
    ledger.sql,
    together({
      priced: pricedReleaseQuery(release_id),
      sums: allRows(ofRuns, row => ({ slot: asNumber(row.slot), ...toVariantSums(row) })),
      parts: allRows(ofParts, row => ({ slot: asNumber(row.slot), ...toPartSums(row) })),
    }),
  )
  knownRelease(priced?.release, release_id)
  refuseWindow()
  const rates = ratesIfAny(priced?.pricingJson ?? null)
  const buckets = Map.groupBy(sums, ({ slot }) => slot)
  const partsOf = Map.groupBy(parts, ({ slot }) => slot)
  return {
    release_id,
    environment,
    since: isoTime(window.since),
    until: isoTime(window.until),
    bucket_ms: minutes * MINUTE_MS,
    buckets: [...buckets].map(([slot, rows]) =>
      toBucket(slot * minutes * MINUTE_MS, [...rows, ...(partsOf.get(slot) ?? [])], rates),
    ),
  }
}

function slotsOf({ since, until }: Window, minutes: number): Slots {
  const [hourly, perRow] = minutes < 60 ? ([false, 1] as const) : ([true, 60] as const)
  const perSlot = minutes / perRow
  const from = Math.floor(Math.max(0, since) / MINUTE_MS / minutes) * perSlot
  return { hourly, perSlot, range: { from, to: Math.ceil(until / MINUTE_MS / perRow) } }
}

function bucketSums(releaseId: string, environment: string, { hourly, perSlot, range }: Slots): Statement {
  // A bound parameter would make the division one of doubles.
  const slot = raw(`s.bucket / ${perSlot}`)
  return sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, sum(s.runs) AS runs, sum(s.errors) AS errors,
      sum(s.latency_count) AS latency_count, sum(s.latency_sum) AS latency_sum_ms,
      sum(s.input_sum) AS input_tokens, sum(s.output_sum) AS output_tokens,
      sum(s.cached_sum) AS cached_input_tokens
    FROM ${raw(hourly ? 'rollup_hours' : 'rollup_minutes')} s JOIN variants v ON v.id = s.variant
    WHERE s.scope = (SELECT id FROM scope) AND s.bucket >= ${range.from} AND s.bucket < ${range.to}
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
}

/** The same of the events that match, and of their parts. */
function matchingSums(
  releaseId: string,
  environment: string,
  { since, until }: Window,
  minutes: number,
  filters: Filters,
): [runs: Statement, parts: Statement] {
  const widthMs = minutes * MINUTE_MS
  const whole = { since: Math.floor(Math.max(0, since) / widthMs) * widthMs, until }
  const slot = raw(`e.ts / ${widthMs}`)
  const runs = sql`WITH ${scopeCte(releaseId, environment)}
    SELECT ${slot} AS slot, v.agent_id, v.provider, v.model, count(*) AS runs, sum(1 - e.success) AS errors,
      count(e.latency_ms) AS latency_count, coalesce(sum(e.latency_ms), 0) AS latency_sum_ms,
      sum(e.input_tokens) AS input_tokens, sum(e.output_tokens) AS output_tokens,
      sum(e.cached_input_tokens) AS cached_input_tokens
    FROM ${matchingEvents(whole, filters, sql`JOIN variants v ON v.id = e.variant`)}
    GROUP BY ${slot}, v.agent_id, v.provider, v.model
    ORDER BY slot, v.agent_id, v.provider, v.model`
  return [runs, matchingPartSeries(releaseId, environment, whole, widthMs, filters)]
}

function toBucket(
  start: number,
  variants: readonly VariantSums[],
  rates: ReadonlyMap<string, PricingEntry>,
): RunSeries['buckets'][number] {
  const { runs, cost_per_run_usd, latency_ms_avg, error_rate } = sideMetrics(variants, rates)
  const { input_tokens, output_tokens } = addSums(variants)
  const tokens = input_tokens + output_tokens
  const isPriced = unpricedModels(variants, rates).length === 0
  return {
    start: isoTime(start),
    runs,
    cost_per_run_usd: isPriced ? round12(cost_per_run_usd) : null,
    latency_ms_avg: latency_ms_avg === null ? null : round12(latency_ms_avg),
    error_rate: round12(error_rate),
    tokens_per_run: runs === 0 ? 0 : round12(tokens / runs),
  }
}

/** Most buckets a series is meant to have: about as many as a chart has room for. */
const MOST_BUCKETS = 96

const WIDTHS_MINUTES = [1, 2, 5, 10, 30, 60, 120, 180, 360, 720, 1440]

/**
 * Width of the buckets that a window is cut into, whole minutes: below an hour it divides one, from an hour on it
 * is whole hours, past a day whole days. Buckets are counted from the epoch, so that they stay where they are as the
 * window moves.
 */
export function bucketMinutes({ since, until }: Window): number {
  const span = until - Math.max(0, since)
  const fitting = WIDTHS_MINUTES.find(minutes => span <= minutes * MINUTE_MS * MOST_BUCKETS)
  return fitting ?? 1440 * Math.ceil(span / MOST_BUCKETS / DAY_MS)
}
