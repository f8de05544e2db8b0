import type { DiffReport } from '../../../../src/models/answers/diff.ts'
import type { Gate } from '../../../../src/models/deploys/gate.ts'
import type { DiffStatistics } from '../../../../src/models/answers/statistics.ts'

const METRICS = {
  baseline_cost_per_run_usd: 0.0071,
  candidate_cost_per_run_usd: 0.0147,
  delta_cost_per_run_usd: 0.0076,
  delta_cost_per_run_pct: 1.07,
  baseline_latency_ms_avg: 840,
  candidate_latency_ms_avg: 835,
  delta_latency_ms_avg: -5,
  baseline_error_rate: 0.012,
  candidate_error_rate: 0.011,
  delta_error_rate: -0.001,
}

type Change = DiffStatistics['latency_ms']['difference']

const metric = (difference: Change, relative_change: Change) => ({
  baseline_runs: 812,
  candidate_runs: 640,
  difference,
  relative_change,
})

/** What of the statistics a report reads. */
const STATISTICS = {
  cost_per_run_usd: metric(null, { estimate: 1.07, low: 0.98, high: 1.17 }),
  latency_ms: metric(null, { estimate: -0.006, low: null, high: 0.02 }),
  error_rate: metric({ estimate: -0.001, low: -0.009, high: 0.007 }, null),
  warnings: [],
} as unknown as DiffStatistics

const TIME = '2026-01-31T12:00:00.000Z'

/** An answer of the gate. */
export function gateOf(more: Partial<Gate>): Gate {
  return {
    verdict: 'pass',
    result: 'passed',
    passed: true,
    reasons: [],
    warnings: [],
    agent_id: 'support-bot',
    environment: 'prod',
    release_id: 'rel_b',
    version: '1.5.0',
    baseline_release_id: 'rel_a',
    baseline_version: '1.4.0',
    window: '7d',
    since: TIME,
    until: TIME,
    confidence: 'HIGH',
    confidence_reason: null,
    samples: { baseline_runs: 812, candidate_runs: 640 },
    metrics: METRICS,
    statistics: STATISTICS,
    limits: [
      { policy_key: 'max_cost_per_run_usd', metric: 'cost_per_run_usd', limit: 0.008 },
      { policy_key: 'max_latency_ms', metric: 'latency_ms', limit: 1800 },
      { policy_key: 'max_error_rate', metric: 'error_rate', limit: 0.03 },
      { policy_key: 'max_cost_increase_pct', metric: 'cost_per_run_usd', limit: 0.1 },
    ],
    evaluated_at: TIME,
    ...more,
  }
}

/** A diff of the same, of so many runs. */
export function diffOf(filters: DiffReport['filters']): DiffReport {
  return {
    window: '7d',
    filters,
    samples: { baseline_runs: 812, candidate_runs: 640, confidence: 'HIGH', confidence_reason: null },
    metrics: METRICS,
    statistics: STATISTICS,
    policy: { passed: true, result: 'passed', reasons: [], evaluated_at: TIME },
    pricing: { warnings: [] },
  } as unknown as DiffReport
}
