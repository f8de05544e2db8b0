import { MINUTE_MS } from '../../base/time.ts'
import type { Buckets } from '../../ledger/events/latency_counts.ts'
import type { BinCounts } from '../../rules/statistics/bins.ts'

/** Least width of blocks: that of the roll-ups that are read. */
export const BUCKET_MS = 10 * MINUTE_MS

/** Counts by bin, by the number of the block since the epoch. */
export function blocksOf(buckets: Buckets, widthMs: number): Map<number, BinCounts> {
  const blocks = new Map<number, Map<number, number>>()
  for (const { bucket, counts: added } of buckets) {
    const block = Math.floor((bucket * BUCKET_MS) / widthMs)
    const counts = blocks.get(block) ?? new Map<number, number>()
    blocks.set(block, counts)
    for (const [bin, n] of Object.entries(added)) {
      counts.set(Number(bin), (counts.get(Number(bin)) ?? 0) + n)
    }
  }
  return blocks
}
