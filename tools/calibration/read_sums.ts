import type { ReadSums, SegmentSums } from '../../src/features/segments/rules_segments.ts'
import { SumTable } from '../../src/features/segments/rules_tables.ts'

/** Sums of aggregates as a ledger reads them, by stretch; all of one variant. */
export function readSums({ aggregates }: Pick<SegmentSums, 'aggregates'>): ReadSums {
  const runs = Array.from(
    Map.groupBy(aggregates, ({ block }) => block),
    ([block, own]) => {
      const table = new SumTable()
      for (const aggregate of own) {
        const at = table.at(aggregate.segment, 0)
        const sums = [
          aggregate.runs,
          aggregate.errors,
          aggregate.latency_count,
          aggregate.latency_sum_ms,
          aggregate.latency_sum_ms2,
          aggregate.input_tokens,
          aggregate.output_tokens,
          aggregate.cached_input_tokens,
          ...aggregate.token_products,
          aggregate.failed_count ?? 0,
          aggregate.failed_latency_count ?? 0,
          aggregate.failed_latency_sum_ms ?? 0,
          aggregate.failed_latency_sum_ms2 ?? 0,
          aggregate.failed_input_tokens ?? 0,
          aggregate.failed_output_tokens ?? 0,
          aggregate.failed_cached_input_tokens ?? 0,
        ]
        for (const [index, sum] of sums.entries()) table.sums[at + index]! += sum
      }
      return { block, table, variants: new Map([[0, own[0]!]]) }
    },
  )
  return { runs: runs.sort((a, b) => a.block - b.block), parts: [] }
}
