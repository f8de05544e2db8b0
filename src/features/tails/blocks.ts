import { MINUTE_MS } from '../../base/time.ts'
import { readCounts } from '../../ledger/events/latency_counts.ts'
import type { BinCounts } from '../../rules/statistics/sketch.ts'
import type { Row } from '../../sql/port.ts'

/** Least width of blocks: that of the roll-ups that are read. */
export const BUCKET_MS = 10 * MINUTE_MS

/** Counts by bin, by the number of the block since the epoch; rows have the `bucket` of ten minutes and its `counts`. */
export function blocksOf(rows: readonly Row[], widthMs: number): Map<number, BinCounts> {
  const blocks = new Map<number, Map<number, number>>()
  for (const row of rows) {
    const block = Math.floor((Number(row.bucket) * BUCKET_MS) / widthMs)
    const counts = blocks.get(block) ?? new Map<number, number>()
    blocks.set(block, counts)
    for (const [bin, n] of Object.entries(readCounts(row.counts))) {
      counts.set(Number(bin), (counts.get(Number(bin)) ?? 0) + n)
    }
  }
  return blocks
}
