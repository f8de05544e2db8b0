import type { ReadSums, SegmentSums } from '../../src/features/segments/rules_segments.ts'
import { SumTable } from '../../src/features/segments/rules_tables.ts'

/** Sums of cells as a ledger reads them, by stretch; all of one variant. */
export function readSums({ cells }: Pick<SegmentSums, 'cells'>): ReadSums {
  const runs = Array.from(
    Map.groupBy(cells, ({ block }) => block),
    ([block, own]) => {
      const table = new SumTable()
      for (const cell of own) {
        const at = table.at(cell.segment, 0)
        const sums = [
          cell.runs,
          cell.errors,
          cell.latency_count,
          cell.latency_sum_ms,
          cell.latency_sum_ms2,
          cell.input_tokens,
          cell.output_tokens,
          cell.cached_input_tokens,
          ...cell.token_products,
          cell.failed_count ?? 0,
          cell.failed_latency_count ?? 0,
          cell.failed_latency_sum_ms ?? 0,
          cell.failed_latency_sum_ms2 ?? 0,
          cell.failed_input_tokens ?? 0,
          cell.failed_output_tokens ?? 0,
          cell.failed_cached_input_tokens ?? 0,
        ]
        for (const [index, sum] of sums.entries()) table.sums[at + index]! += sum
      }
      return { block, table, variants: new Map([[0, own[0]!]]) }
    },
  )
  return { runs: runs.sort((a, b) => a.block - b.block), parts: [] }
}
