import { BUCKET_MS, blocksOf } from './tails.ts'
import { type TailChanges, tailChanges } from './rules_changes.ts'
import type { Cut } from '../../rules/common_time.ts'
import { limitsTailRises } from '../../rules/limits.ts'
import type { Sql } from '../../sql/port.ts'
import { type Query, NOTHING, mapped, ofSides } from '../../sql/query.ts'
import { bucketsQuery } from '../../ledger/events/latency_counts.ts'
import type { Measure } from '../../ledger/assess/parts.ts'
import type { SideQuery } from '../../ledger/assess/sides.ts'

/** Rises of percentiles over the time in which both releases ran. */
export const measure: Measure<TailChanges['sides'] | undefined> = {
  name: 'tail_changes',
  isLimited: limitsTailRises,
  query: changesQuery,
  measured: async (_ledger, _query, { baseline, candidate }, sides) => {
    const all = { baseline: baseline.timedRuns, candidate: candidate.timedRuns }
    return ({ options, isRollback }) => ({
      statistics: {
        latency_percentile_changes: isRollback ? null : tailChanges({ sides, all }, options),
      },
    })
  },
}

/** Nothing is read where the window is compared as it is. */
function changesQuery(dialect: Sql['dialect'], query: SideQuery): Query<TailChanges['sides'] | undefined> {
  const { cut } = query
  if (cut === undefined || cut.from >= cut.to) return NOTHING
  const widthMs = blockWidth(cut)
  return ofSides(side =>
    mapped(bucketsQuery(dialect, query[`${side}Id`], query.environment, cut, query.filters), buckets =>
      blocksOf(buckets, widthMs),
    ),
  )
}

/** The width of the blocks that is a multiple of ten minutes: 15 minutes are taken as 30. */
function blockWidth({ width_ms }: Cut): number {
  if (width_ms <= BUCKET_MS) return BUCKET_MS
  return width_ms % BUCKET_MS === 0 ? width_ms : 2 * width_ms
}
