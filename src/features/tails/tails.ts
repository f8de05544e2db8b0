import { MINUTE_MS, isoTime } from '../../base/time.ts'
import { PERCENTILES, type PercentileName, type TimeName } from '../../models/limits.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type Cut, blockWidthOf } from '../../rules/common_time.ts'
import { limitsTailRises, limitsTails } from '../../rules/limits.ts'
import type { BinCounts, Sketch } from '../../rules/statistics/bins.ts'
import { type QuantileComparison, compareQuantiles } from '../../rules/statistics/sketch.ts'
import { raw, sql } from '../../sql/port.ts'
import {
  NOTHING,
  type Query,
  allRows,
  asNumber,
  columns,
  mapped,
  ofSides,
  together,
} from '../../sql/query.ts'
import {
  type Buckets,
  binSelect,
  FIRST_TOKEN_OF_EVENT,
  bucketsQuery,
  latenciesKnownSince,
  sketchQuery,
} from '../../ledger/events/latency_counts.ts'
import { scopeCte } from '../../ledger/events/rollups.ts'
import { UNDER_WAY } from '../../rules/statistics/match.ts'
import { eventsUnderWay } from '../../ledger/events/under_way.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Side, SideQuery, Sides } from '../../ledger/assess/sides.ts'
import { type Failed, type TailChanges, tailChanges, tailWarnings } from './rules_changes.ts'

/** Least width of blocks: that of the rollups that are read. */
const BUCKET_MS = 10 * MINUTE_MS

export const measure: Measure<Sketches> = {
  name: 'tails',
  isLimited: policy => limitsTails(policy, 'latency'),
  bucketMs: BUCKET_MS,
  query: query => sketchesQuery('latency', query),
  measured: async (ledger, query, sides, sketches) => {
    const tails = await readTails(ledger, query, sides, sketches)
    const { known_since } = tails
    return () => ({
      statistics: { latency_percentiles: percentilesOf(tails) },
      ...(known_since === null
        ? {}
        : {
            warnings: [
              `latency percentiles are known from ${known_since} on; \`svc rollups rebuild\` counts older runs too`,
            ],
          }),
    })
  },
}

/** The same of times to first token. They are counted from the first one on, and all of them are summed. */
export const firstTokens: Measure<Sketches> = {
  name: 'ttft_tails',
  isLimited: policy => limitsTails(policy, 'ttft'),
  bucketMs: BUCKET_MS,
  query: query => sketchesQuery('ttft', query),
  measured: async (_ledger, _query, _sides, { baseline, candidate }) => {
    const isNone = baseline.counts.size + candidate.counts.size === 0
    const statistics = isNone
      ? {}
      : { ttft_percentiles: mapPercentiles(p => compareQuantiles(baseline, candidate, p)) }
    return () => ({ statistics })
  },
}

/** Latencies of both sides, counted; from when on they are, where that is later than the window begins. */
interface Tails {
  readonly baseline: Sketch
  readonly candidate: Sketch
  readonly known_since: string | null
}

function percentilesOf(tails: Tails): DiffStatistics['latency_percentiles'] {
  const { baseline, candidate, known_since } = tails
  const at = (p: number): QuantileComparison =>
    known_since === null ? compareQuantiles(baseline, candidate, p) : UNKNOWN
  return { ...mapPercentiles(at), known_since }
}

function mapPercentiles<T>(at: (share: number) => T): Record<PercentileName, T> {
  const { p50, p90, p95, p99 } = PERCENTILES
  return { p50: at(p50), p90: at(p90), p95: at(p95), p99: at(p99) }
}

const UNKNOWN: QuantileComparison = { baseline: null, candidate: null, difference: null }

/** Most buckets of a side, the newest, from which the correlation of latencies in time is estimated: a week. */
const MOST_BUCKETS = 1008

/** The times of both sides. */
function sketchesQuery(
  time: TimeName,
  { environment, window, filters, ...query }: SideQuery,
): Query<Sketches> {
  const touched = {
    from: Math.floor(Math.max(0, window.since) / BUCKET_MS) * BUCKET_MS,
    to: Math.ceil(window.until / BUCKET_MS) * BUCKET_MS,
  }
  return ofSides(side => {
    const id = query[`${side}Id`]
    const read = together({
      sketch: sketchQuery(time, id, environment, window, filters),
      byTime: bucketsQuery(time, id, environment, touched, filters, MOST_BUCKETS),
    })
    return mapped(read, ({ sketch, byTime }) => ({ ...sketch, blocks: blocksIn(byTime) }))
  })
}

/** Up to 48 blocks of the time in which these were counted. */
function blocksIn(buckets: Buckets): readonly BinCounts[] {
  if (buckets.length === 0) return []
  const times = buckets.map(([bucket]) => bucket * BUCKET_MS)
  const span = { since: Math.min(...times), until: Math.max(...times) + BUCKET_MS }
  return [...blocksOf(buckets, blockWidthOf(span, undefined, BUCKET_MS)).values()]
}

interface Sketches {
  readonly baseline: Sketch
  readonly candidate: Sketch
}

/** The same with their sums. Where it is not as many runs as carry a latency, it says from when on it would be. */
async function readTails(
  { sql: db }: Pick<Ledger, 'sql'>,
  { environment, window }: SideQuery,
  sides: Sides,
  sketches: Sketches,
): Promise<Tails> {
  const baseline = withSum(sketches.baseline, sides.baseline)
  const candidate = withSum(sketches.candidate, sides.candidate)
  const lacking = [
    { side: sides.baseline, sketch: baseline },
    { side: sides.candidate, sketch: candidate },
  ].filter(({ side, sketch }) => countOf(sketch) !== side.timedRuns)
  if (lacking.length === 0) return { baseline, candidate, known_since: null }
  const since = await Promise.all(
    lacking.map(({ side }) => latenciesKnownSince(db, side.release.release_id, environment, window)),
  )
  return { baseline, candidate, known_since: isoTime(Math.max(...since)) }
}

function withSum(sketch: Sketch, side: Side): Sketch {
  const sum = latencySum(side)
  return Number.isSafeInteger(sum) ? { ...sketch, sum } : sketch
}

function countOf({ counts }: Pick<Sketch, 'counts'>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** Without the runs that were left out of the side: less than all of the sketch then, so it is not taken to be constant. */
function latencySum({ variants }: Side): number {
  return variants.reduce((sum, { latency_sum_ms }) => sum + latency_sum_ms, 0)
}

/** Counts by bin, by the number of the block since the epoch. */
function blocksOf(buckets: Buckets, widthMs: number): Map<number, BinCounts> {
  const blocks = new Map<number, Map<number, number>>()
  for (const [bucket, added] of buckets) {
    const block = Math.floor((bucket * BUCKET_MS) / widthMs)
    const counts = blocks.get(block) ?? new Map<number, number>()
    blocks.set(block, counts)
    for (const name in added) {
      const bin = Number(name)
      counts.set(bin, (counts.get(bin) ?? 0) + added[name]!)
    }
  }
  return blocks
}

/** Rises of percentiles over the time in which both releases ran. */
export const changes: Measure<TailChanges['sides'] | undefined> = {
  name: 'tail_changes',
  isLimited: policy => limitsTailRises(policy, 'latency'),
  query: query => changesQuery('latency', query),
  measured: async (_ledger, { cut }, { baseline, candidate }, sides) => {
    const all = { baseline: baseline.timedRuns, candidate: candidate.timedRuns }
    const failed = cut && failedOf({ baseline, candidate }, cut)
    const tails = { sides, all, failed }
    return ({ options }) => ({
      statistics: { latency_percentile_changes: tailChanges(tails, options) },
      warnings: tailWarnings(tails, options),
    })
  },
}

/** The same of times to first token, which runs that failed don't have. */
export const firstTokenChanges: Measure<TailChanges['sides'] | undefined> = {
  name: 'ttft_tail_changes',
  isLimited: policy => limitsTailRises(policy, 'ttft'),
  query: query => changesQuery('ttft', query),
  measured: async (_ledger, _query, _sides, sides) => {
    const all = { baseline: runsIn(sides?.baseline), candidate: runsIn(sides?.candidate) }
    return ({ options }) => ({
      statistics: { ttft_percentile_changes: tailChanges({ sides, all }, options) },
    })
  },
}

function runsIn(blocks: ReadonlyMap<number, BinCounts> = new Map()): number {
  return [...blocks.values()].reduce((sum, counts) => sum + countOf({ counts }), 0)
}

/** Failed runs by the blocks of percentiles. Sums that don't tell their latencies make them all as slow as can be. */
function failedOf(sides: Pick<Sides, 'baseline' | 'candidate'>, cut: Cut) {
  const of = ({ aggregates }: Side): ReadonlyMap<number, Failed> => {
    const [first, width] = [Math.floor(cut.from / cut.width_ms), blockWidth(cut)]
    const end = Math.ceil(cut.to / cut.width_ms) - first
    const blocks = new Map<number, Failed>()
    for (const aggregate of aggregates) {
      const {
        block,
        errors,
        failed_count,
        failed_latency_count = errors,
        failed_latency_sum_ms2 = Infinity,
      } = aggregate
      if (block < 0 || block >= end || errors === 0) continue
      const at = Math.floor(((first + block) * cut.width_ms) / width)
      const { runs, square } = blocks.get(at) ?? { runs: 0, square: 0 }
      const own =
        failed_count === errors
          ? { runs: failed_latency_count, square: failed_latency_sum_ms2 }
          : { runs: errors, square: Infinity }
      blocks.set(at, { runs: runs + own.runs, square: square + own.square })
    }
    return blocks
  }
  return { baseline: of(sides.baseline), candidate: of(sides.candidate) }
}

/** Nothing is read where the window is compared as it is. */
function changesQuery(time: TimeName, query: SideQuery): Query<TailChanges['sides'] | undefined> {
  const { cut } = query
  if (cut === undefined || cut.from >= cut.to) return NOTHING
  const widthMs = blockWidth(cut)
  // What ended before a release began is of the older side alone, whose runs of that time are all there.
  const from = cut.moments === undefined ? cut.from : cut.from - (cut.from % BUCKET_MS)
  return ofSides(side => {
    const read = together({
      buckets: bucketsQuery(time, query[`${side}Id`], query.environment, { from, to: cut.to }, query.filters),
      left: leftOutQuery(time, query[`${side}Id`], query),
    })
    return mapped(read, ({ buckets, left }) => without(blocksOf(buckets, widthMs), blocksOf(left, widthMs)))
  })
}

/** The counts of runs that were under way at the moments of the cut. */
function leftOutQuery(
  time: TimeName,
  releaseId: string,
  { environment, window, cut, filters }: SideQuery,
): Query<Buckets> {
  if (cut?.moments === undefined) return { statements: [], read: () => [] }
  const [joined, counted_ms] =
    time === 'latency' ? [sql``, raw('e.latency_ms')] : [FIRST_TOKEN_OF_EVENT, raw('r.score')]
  const rows = sql`(SELECT e.scope, e.ts, ${counted_ms} AS latency_ms
    FROM ${eventsUnderWay(cut.moments, window, filters, joined)}) AS under_way WHERE true`
  const counted = allRows(
    sql`WITH ${scopeCte(releaseId, environment)} ${binSelect(BUCKET_MS, rows)}`,
    columns({ bucket: asNumber, bin: asNumber, n: asNumber }),
  )
  return mapped(counted, found => found.map(({ bucket, bin, n }) => [bucket, { [bin]: n }]))
}

function without(
  blocks: Map<number, BinCounts>,
  left: ReadonlyMap<number, BinCounts>,
): Map<number, BinCounts> {
  for (const [block, counts] of left) {
    const own = blocks.get(block)
    if (own === undefined) continue
    const rest = new Map(own)
    for (const [bin, n] of counts) {
      const kept = (own.get(bin) ?? 0) - n
      if (kept > 0) rest.set(bin, kept)
      else rest.delete(bin)
    }
    blocks.set(block, rest)
  }
  if (left.size > 0) blocks.set(UNDER_WAY, [...left.values()].reduce(addBins))
  return blocks
}

function addBins(one: BinCounts, other: BinCounts): BinCounts {
  const sums = new Map(one)
  for (const [bin, n] of other) sums.set(bin, (sums.get(bin) ?? 0) + n)
  return sums
}

/** The width of the blocks that is a multiple of ten minutes: 15 minutes are taken as 30. */
function blockWidth({ width_ms }: Cut): number {
  if (width_ms <= BUCKET_MS) return BUCKET_MS
  return width_ms % BUCKET_MS === 0 ? width_ms : 2 * width_ms
}
