// Generated from src/models/documents by `npm run generate`, and never edited.
import { namePattern, overridesFit, nameBytes, watchTime, finite, increase, limitedNames } from '../checks.ts'
import type { Policy } from '../documents/policy.ts'
import { type Fields, type Known, everyValue, hasOnly, isFields, withDefaults } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): Policy | undefined {
  return isFields(value) && fits1(value) ? (withDefaults(value, DEFAULTS) as unknown as Policy) : undefined
}

/** The fields that the model knows. */
export const KNOWN: Known = {
  "policy_id": true,
  "max_cost_per_run_usd": true,
  "max_error_rate": true,
  "max_latency_ms": true,
  "min_baseline_runs": true,
  "min_candidate_runs": true,
  "min_low_runs": true,
  "require_high_diff_confidence": true,
  "max_cost_increase_pct": true,
  "max_error_rate_increase": true,
  "max_latency_increase_pct": true,
  "max_latency_p95_ms": true,
  "max_latency_p99_ms": true,
  "max_score_drop": true,
  "max_tool_calls_increase_pct": true,
  "min_scores": true,
  "on_inconclusive": true,
  "overrides": [
    {
      "agent_id": true,
      "environment": true,
      "max_cost_increase_pct": true,
      "max_cost_per_run_usd": true,
      "max_error_rate": true,
      "max_error_rate_increase": true,
      "max_latency_increase_pct": true,
      "max_latency_ms": true,
      "max_latency_p95_ms": true,
      "max_latency_p99_ms": true,
      "max_score_drop": true,
      "max_tool_calls_increase_pct": true,
      "min_baseline_runs": true,
      "min_candidate_runs": true,
      "min_low_runs": true,
      "min_scores": true,
      "on_inconclusive": true,
      "require_high_diff_confidence": true,
      "sequential": true,
      "unpriced": true,
      "watch": {
        "for": true,
        "auto_rollback": true,
        "min_runs": true,
        "on_undecidable": true
      }
    }
  ],
  "sequential": true,
  "unpriced": true,
  "watch": {
    "for": true,
    "auto_rollback": true,
    "min_runs": true,
    "on_undecidable": true
  }
}

const KNOWN7 = new Set(["for","auto_rollback","min_runs","on_undecidable"])

const KNOWN4 = new Set(["agent_id","environment","max_cost_increase_pct","max_cost_per_run_usd","max_error_rate","max_error_rate_increase","max_latency_increase_pct","max_latency_ms","max_latency_p95_ms","max_latency_p99_ms","max_score_drop","max_tool_calls_increase_pct","min_baseline_runs","min_candidate_runs","min_low_runs","min_scores","on_inconclusive","require_high_diff_confidence","sequential","unpriced","watch"])

const KNOWN8 = new Set(["for","auto_rollback","min_runs","on_undecidable"])

const KNOWN1 = new Set(["policy_id","max_cost_per_run_usd","max_error_rate","max_latency_ms","min_baseline_runs","min_candidate_runs","min_low_runs","require_high_diff_confidence","max_cost_increase_pct","max_error_rate_increase","max_latency_increase_pct","max_latency_p95_ms","max_latency_p99_ms","max_score_drop","max_tool_calls_increase_pct","min_scores","on_inconclusive","overrides","sequential","unpriced","watch"])

const DEFAULTS = {"policy_id":"default","max_cost_per_run_usd":null,"max_error_rate":null,"max_latency_ms":null,"min_baseline_runs":null,"min_candidate_runs":null,"min_low_runs":null,"require_high_diff_confidence":true}

function fits1(value: Fields): boolean {
  return (
    (value.policy_id === undefined || typeof value.policy_id === 'string' && value.policy_id.length >= 1 && value.policy_id.length <= 512 && nameBytes(value.policy_id) === undefined) &&
    (value.max_cost_per_run_usd === undefined || (typeof value.max_cost_per_run_usd === 'number' && !Number.isNaN(value.max_cost_per_run_usd) && value.max_cost_per_run_usd >= 0 && finite(value.max_cost_per_run_usd) === undefined || value.max_cost_per_run_usd === null)) &&
    (value.max_error_rate === undefined || (typeof value.max_error_rate === 'number' && !Number.isNaN(value.max_error_rate) && value.max_error_rate >= 0 && value.max_error_rate <= 1 || value.max_error_rate === null)) &&
    (value.max_latency_ms === undefined || (Number.isInteger(value.max_latency_ms) && (value.max_latency_ms as number) >= 0 && (value.max_latency_ms as number) <= 9007199254740991 || value.max_latency_ms === null)) &&
    (value.min_baseline_runs === undefined || (Number.isInteger(value.min_baseline_runs) && (value.min_baseline_runs as number) >= 0 && (value.min_baseline_runs as number) <= 9007199254740991 || value.min_baseline_runs === null)) &&
    (value.min_candidate_runs === undefined || (Number.isInteger(value.min_candidate_runs) && (value.min_candidate_runs as number) >= 0 && (value.min_candidate_runs as number) <= 9007199254740991 || value.min_candidate_runs === null)) &&
    (value.min_low_runs === undefined || (Number.isInteger(value.min_low_runs) && (value.min_low_runs as number) >= 0 && (value.min_low_runs as number) <= 9007199254740991 || value.min_low_runs === null)) &&
    (value.require_high_diff_confidence === undefined || typeof value.require_high_diff_confidence === 'boolean') &&
    (value.max_cost_increase_pct === undefined || (typeof value.max_cost_increase_pct === 'number' && !Number.isNaN(value.max_cost_increase_pct) && value.max_cost_increase_pct >= 0 && finite(value.max_cost_increase_pct) === undefined && increase(value.max_cost_increase_pct) === undefined || value.max_cost_increase_pct === null)) &&
    (value.max_error_rate_increase === undefined || (typeof value.max_error_rate_increase === 'number' && !Number.isNaN(value.max_error_rate_increase) && value.max_error_rate_increase >= 0 && value.max_error_rate_increase <= 1 || value.max_error_rate_increase === null)) &&
    (value.max_latency_increase_pct === undefined || (typeof value.max_latency_increase_pct === 'number' && !Number.isNaN(value.max_latency_increase_pct) && value.max_latency_increase_pct >= 0 && finite(value.max_latency_increase_pct) === undefined && increase(value.max_latency_increase_pct) === undefined || value.max_latency_increase_pct === null)) &&
    (value.max_latency_p95_ms === undefined || (Number.isInteger(value.max_latency_p95_ms) && (value.max_latency_p95_ms as number) >= 0 && (value.max_latency_p95_ms as number) <= 9007199254740991 || value.max_latency_p95_ms === null)) &&
    (value.max_latency_p99_ms === undefined || (Number.isInteger(value.max_latency_p99_ms) && (value.max_latency_p99_ms as number) >= 0 && (value.max_latency_p99_ms as number) <= 9007199254740991 || value.max_latency_p99_ms === null)) &&
    (value.max_score_drop === undefined || (isFields(value.max_score_drop) && fits2(value.max_score_drop) || value.max_score_drop === null)) &&
    (value.max_tool_calls_increase_pct === undefined || (typeof value.max_tool_calls_increase_pct === 'number' && !Number.isNaN(value.max_tool_calls_increase_pct) && value.max_tool_calls_increase_pct >= 0 && finite(value.max_tool_calls_increase_pct) === undefined && increase(value.max_tool_calls_increase_pct) === undefined || value.max_tool_calls_increase_pct === null)) &&
    (value.min_scores === undefined || (isFields(value.min_scores) && fits3(value.min_scores) || value.min_scores === null)) &&
    (value.on_inconclusive === undefined || (value.on_inconclusive === "block" || value.on_inconclusive === "estimate" || value.on_inconclusive === "pass")) &&
    (value.overrides === undefined || Array.isArray(value.overrides) && value.overrides.length <= 200 && value.overrides.every(item => isFields(item) && fits4(item))) &&
    (value.sequential === undefined || typeof value.sequential === 'boolean') &&
    (value.unpriced === undefined || (value.unpriced === "exclude" || value.unpriced === "refuse")) &&
    (value.watch === undefined || (isFields(value.watch) && fits8(value.watch) || value.watch === null)) &&
    hasOnly(value, KNOWN1) &&
    overridesFit(value as never) === undefined
  )
}

function fits2(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'number' && !Number.isNaN(field) && field >= 0 && field <= 1000000) &&
    limitedNames(value as never) === undefined
  )
}

function fits3(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'number' && !Number.isNaN(field) && field >= -1000000 && field <= 1000000) &&
    limitedNames(value as never) === undefined
  )
}

function fits4(value: Fields): boolean {
  return (
    (value.agent_id === undefined || typeof value.agent_id === 'string' && value.agent_id.length >= 1 && value.agent_id.length <= 512 && nameBytes(value.agent_id) === undefined && namePattern(value.agent_id) === undefined) &&
    (value.environment === undefined || typeof value.environment === 'string' && value.environment.length >= 1 && value.environment.length <= 512 && nameBytes(value.environment) === undefined && namePattern(value.environment) === undefined) &&
    (value.max_cost_increase_pct === undefined || (typeof value.max_cost_increase_pct === 'number' && !Number.isNaN(value.max_cost_increase_pct) && value.max_cost_increase_pct >= 0 && finite(value.max_cost_increase_pct) === undefined && increase(value.max_cost_increase_pct) === undefined || value.max_cost_increase_pct === null)) &&
    (value.max_cost_per_run_usd === undefined || (typeof value.max_cost_per_run_usd === 'number' && !Number.isNaN(value.max_cost_per_run_usd) && value.max_cost_per_run_usd >= 0 && finite(value.max_cost_per_run_usd) === undefined || value.max_cost_per_run_usd === null)) &&
    (value.max_error_rate === undefined || (typeof value.max_error_rate === 'number' && !Number.isNaN(value.max_error_rate) && value.max_error_rate >= 0 && value.max_error_rate <= 1 || value.max_error_rate === null)) &&
    (value.max_error_rate_increase === undefined || (typeof value.max_error_rate_increase === 'number' && !Number.isNaN(value.max_error_rate_increase) && value.max_error_rate_increase >= 0 && value.max_error_rate_increase <= 1 || value.max_error_rate_increase === null)) &&
    (value.max_latency_increase_pct === undefined || (typeof value.max_latency_increase_pct === 'number' && !Number.isNaN(value.max_latency_increase_pct) && value.max_latency_increase_pct >= 0 && finite(value.max_latency_increase_pct) === undefined && increase(value.max_latency_increase_pct) === undefined || value.max_latency_increase_pct === null)) &&
    (value.max_latency_ms === undefined || (Number.isInteger(value.max_latency_ms) && (value.max_latency_ms as number) >= 0 && (value.max_latency_ms as number) <= 9007199254740991 || value.max_latency_ms === null)) &&
    (value.max_latency_p95_ms === undefined || (Number.isInteger(value.max_latency_p95_ms) && (value.max_latency_p95_ms as number) >= 0 && (value.max_latency_p95_ms as number) <= 9007199254740991 || value.max_latency_p95_ms === null)) &&
    (value.max_latency_p99_ms === undefined || (Number.isInteger(value.max_latency_p99_ms) && (value.max_latency_p99_ms as number) >= 0 && (value.max_latency_p99_ms as number) <= 9007199254740991 || value.max_latency_p99_ms === null)) &&
    (value.max_score_drop === undefined || (isFields(value.max_score_drop) && fits5(value.max_score_drop) || value.max_score_drop === null)) &&
    (value.max_tool_calls_increase_pct === undefined || (typeof value.max_tool_calls_increase_pct === 'number' && !Number.isNaN(value.max_tool_calls_increase_pct) && value.max_tool_calls_increase_pct >= 0 && finite(value.max_tool_calls_increase_pct) === undefined && increase(value.max_tool_calls_increase_pct) === undefined || value.max_tool_calls_increase_pct === null)) &&
    (value.min_baseline_runs === undefined || (Number.isInteger(value.min_baseline_runs) && (value.min_baseline_runs as number) >= 0 && (value.min_baseline_runs as number) <= 9007199254740991 || value.min_baseline_runs === null)) &&
    (value.min_candidate_runs === undefined || (Number.isInteger(value.min_candidate_runs) && (value.min_candidate_runs as number) >= 0 && (value.min_candidate_runs as number) <= 9007199254740991 || value.min_candidate_runs === null)) &&
    (value.min_low_runs === undefined || (Number.isInteger(value.min_low_runs) && (value.min_low_runs as number) >= 0 && (value.min_low_runs as number) <= 9007199254740991 || value.min_low_runs === null)) &&
    (value.min_scores === undefined || (isFields(value.min_scores) && fits6(value.min_scores) || value.min_scores === null)) &&
    (value.on_inconclusive === undefined || (value.on_inconclusive === "block" || value.on_inconclusive === "estimate" || value.on_inconclusive === "pass")) &&
    (value.require_high_diff_confidence === undefined || typeof value.require_high_diff_confidence === 'boolean') &&
    (value.sequential === undefined || typeof value.sequential === 'boolean') &&
    (value.unpriced === undefined || (value.unpriced === "exclude" || value.unpriced === "refuse")) &&
    (value.watch === undefined || (isFields(value.watch) && fits7(value.watch) || value.watch === null)) &&
    hasOnly(value, KNOWN4)
  )
}

function fits5(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'number' && !Number.isNaN(field) && field >= 0 && field <= 1000000) &&
    limitedNames(value as never) === undefined
  )
}

function fits6(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'number' && !Number.isNaN(field) && field >= -1000000 && field <= 1000000) &&
    limitedNames(value as never) === undefined
  )
}

function fits7(value: Fields): boolean {
  return (
    typeof value.for === 'string' && watchTime(value.for) === undefined &&
    (value.auto_rollback === undefined || typeof value.auto_rollback === 'boolean') &&
    (value.min_runs === undefined || Number.isInteger(value.min_runs) && (value.min_runs as number) >= 10 && (value.min_runs as number) <= 1000000) &&
    (value.on_undecidable === undefined || (value.on_undecidable === "exclude" || value.on_undecidable === "refuse")) &&
    hasOnly(value, KNOWN7)
  )
}

function fits8(value: Fields): boolean {
  return (
    typeof value.for === 'string' && watchTime(value.for) === undefined &&
    (value.auto_rollback === undefined || typeof value.auto_rollback === 'boolean') &&
    (value.min_runs === undefined || Number.isInteger(value.min_runs) && (value.min_runs as number) >= 10 && (value.min_runs as number) <= 1000000) &&
    (value.on_undecidable === undefined || (value.on_undecidable === "exclude" || value.on_undecidable === "refuse")) &&
    hasOnly(value, KNOWN8)
  )
}
