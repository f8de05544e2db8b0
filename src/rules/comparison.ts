import type { Comparison } from '../models/answers/diff.ts'
import type { SideMetrics } from './cost.ts'
import { round12 } from '../base/numbers.ts'

/** Both sides and candidate minus baseline, rounded to 12 significant digits. */
export function compareSides(baseline: SideMetrics, candidate: SideMetrics): Comparison {
  const costDelta = difference(candidate.cost_per_run_usd, baseline.cost_per_run_usd)
  return {
    baseline_cost_per_run_usd: round12(baseline.cost_per_run_usd),
    candidate_cost_per_run_usd: round12(candidate.cost_per_run_usd),
    delta_cost_per_run_usd: costDelta,
    delta_cost_per_run_pct:
      baseline.cost_per_run_usd === 0 ? null : round12(costDelta / baseline.cost_per_run_usd),
    baseline_latency_ms_avg: roundOrNull(baseline.latency_ms_avg),
    candidate_latency_ms_avg: roundOrNull(candidate.latency_ms_avg),
    delta_latency_ms_avg:
      baseline.latency_ms_avg === null || candidate.latency_ms_avg === null
        ? null
        : difference(candidate.latency_ms_avg, baseline.latency_ms_avg),
    baseline_error_rate: round12(baseline.error_rate),
    candidate_error_rate: round12(candidate.error_rate),
    delta_error_rate: difference(candidate.error_rate, baseline.error_rate),
  }
}

/** Differences of rounded values: equal sides give exactly 0, whatever the order their sums were taken in. */
function difference(a: number, b: number): number {
  return round12(round12(a) - round12(b))
}

function roundOrNull(value: number | null): number | null {
  return value === null ? null : round12(value)
}
