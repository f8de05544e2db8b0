import { CONDITION } from '../../../../src/features/conditions/condition.ts'
import type { DiffStatistics } from '../../../../src/models/answers/statistics.ts'
import type { EvaluatedEvidence, Evidence, SideEvidence } from '../../../../src/rules/evidence.ts'
import { DEFAULT_POLICY } from '../../../../src/rules/scope.ts'
import { variantOf } from '../../support/sums.ts'
import { estimate, metricOf } from '../statistics/metric_of.ts'

export const DECIDED = { release_id: 'rel_2', environment: 'prod' }

export const CONDITIONS = [CONDITION]

/** It was decided on a Saturday. */
export const FREEZE = { from: 'sat 00:00', to: 'sun 00:00', reason: 'a Saturday' }
export const FROZEN = 'prod is frozen from sat 00:00 to sun 00:00 UTC: a Saturday (freeze)'

/** Evidence of a first promotion. */
export const FIRST: Evidence = {
  rules_version: 1,
  window: { text: '1h', since: '2026-01-31T11:00:00.000Z', until: '2026-01-31T12:00:00.000Z' },
  promotion_requires_approval: false,
  policy: DEFAULT_POLICY,
  evaluated_at: '2026-01-31T12:00:00.000Z',
  evaluation: null,
  request: null,
}

/** Every metric rose by 8 to 12 %, of 500 runs a side; percentiles and tools are measured. */
const change = { relative_change: estimate(0.08, 0.12), difference: estimate(0.08, 0.12) }
const percentile = { baseline: null, candidate: estimate(900, 1100), difference: null }
export const ROSE = metricOf(change)
export const STATISTICS: DiffStatistics = {
  cluster_by: 'time',
  cost_per_run_usd: ROSE,
  latency_ms: ROSE,
  error_rate: ROSE,
  tokens_per_run: { input_tokens: ROSE, output_tokens: ROSE, cached_input_tokens: ROSE },
  latency_percentiles: {
    p50: percentile,
    p90: percentile,
    p95: percentile,
    p99: percentile,
    known_since: null,
  },
  tools: { calls_per_run: ROSE, tools: [] },
  limits: [],
  warnings: [],
}

/** A side of runs that cost 0.01 USD, take 100 ms and fail once in a hundred, where nothing else is said. */
export function sideOf(
  runs: number,
  { usd = 0.01, latency_ms = 100, errors = runs / 100 } = {},
): SideEvidence {
  const variant = {
    runs,
    errors,
    latency_count: runs,
    latency_sum_ms: runs * latency_ms,
    input_tokens: runs * 1000,
  }
  return {
    release_id: 'rel_1',
    checksum: 'c',
    model: 'm1',
    provider: 'acme',
    pricing_version: 'v1',
    variants: [variantOf(variant)],
    rates: [
      {
        model: 'm1',
        input_usd_per_1k_tokens: usd,
        output_usd_per_1k_tokens: 0,
        cached_input_usd_per_1k_tokens: null,
      },
    ],
  }
}

/** 500 runs of the baseline and 400 of a candidate that costs 0.012 USD, takes 120 ms and fails twice in a hundred. */
export const EVALUATION: EvaluatedEvidence = {
  thresholds: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
  workspace_thresholds: { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 },
  confidence: 'MEDIUM',
  confidence_reason: 'candidate sample < 500 runs',
  baseline: sideOf(500),
  candidate: sideOf(400, { usd: 0.012, latency_ms: 120, errors: 8 }),
  metrics: {} as EvaluatedEvidence['metrics'],
  statistics: STATISTICS,
  catalog: {} as EvaluatedEvidence['catalog'],
}

export function evaluated(
  evaluation: Partial<EvaluatedEvidence> = {},
  more: Partial<Evidence> = {},
): Evidence {
  return { ...FIRST, evaluation: { ...EVALUATION, ...evaluation }, ...more }
}

/** A candidate that no run is known of. */
export const NO_CANDIDATE = { candidate: sideOf(0) }

/** What the policy has that an override set for production. */
export const SCOPE = {
  policy_checksum: 'c',
  rules: [{ override: 0, environment: 'prod', keys: ['max_latency_ms', 'require_high_diff_confidence'] }],
}
export const BY_OVERRIDE = ' (overrides[0]: environment prod)'
