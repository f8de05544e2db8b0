// Generated from the models by `npm run generate`, and never edited.
import { age, finite, increase, limitedNames, nameBytes, noArray, suiteNames, watchTime } from '../checks.ts'
import { namePattern, overridesFit } from '../overrides.ts'
import { forbiddenPower } from '../capability_checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s3 = { kinds: { number: s2, null: { oneOf: [null] } } } as const
const s4 = { is: "number", limits: [["max", 1], ["min", 0]] } as const
const s5 = { kinds: { number: s4, null: { oneOf: [null] } } } as const
const s6 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s7 = { kinds: { number: s6, null: { oneOf: [null] } } } as const
const s8 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, forbiddenPower] } as const
const s9 = { is: "array", limits: [["maxLength", 100]], items: s8 } as const
const s10 = { oneOf: ["block","warn"] } as const
const s11 = { is: "object", optional: { forbid: s9, widened: s10 }, others: "reject", checks: [noArray] } as const
const s12 = { kinds: { object: s11, null: { oneOf: [null] } } } as const
const s13 = { oneOf: ["session","tenant","time"] } as const
const s14 = { oneOf: ["task","tenant","time","window"] } as const
const s15 = { is: "number", limits: [["min", 0]], checks: [finite, increase] } as const
const s16 = { kinds: { number: s15, null: { oneOf: [null] } } } as const
const s17 = { is: "number", limits: [["max", 1000000], ["min", 0]] } as const
const s18 = { is: "object", values: s17, checks: [noArray, limitedNames] } as const
const s19 = { kinds: { object: s18, null: { oneOf: [null] } } } as const
const s20 = { is: "number", limits: [["divisor", 1], ["max", 3650], ["min", 0]] } as const
const s21 = { kinds: { number: s20, null: { oneOf: [null] } } } as const
const s22 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s23 = { is: "object", values: s22, checks: [noArray, limitedNames] } as const
const s24 = { kinds: { object: s23, null: { oneOf: [null] } } } as const
const s25 = { oneOf: ["block","estimate","pass"] } as const
const s26 = { oneOf: ["max_cost_increase_pct","max_error_rate_increase","max_latency_increase_pct","max_latency_p90_ms","max_latency_p95_ms","max_latency_p99_ms","max_score_drop","max_tool_calls_increase_pct","max_ttft_increase_pct","max_ttft_ms","max_ttft_p90_ms","max_ttft_p95_ms","max_ttft_p99_ms","min_scores"] } as const
const s27 = { is: "array", limits: [["maxLength", 14]], items: s26 } as const
const s28 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s29 = { is: "string", checks: [age] } as const
const s30 = { is: "object", optional: { max_age: s29, max_missing_cases: s4, max_regressions: s6, min_pass_rate: s4, must_pass: { oneOf: [false,true] }, on_rollback: { oneOf: [false,true] }, require_judge_agreement: s4, same_bundle: { oneOf: [false,true] } }, others: "reject", checks: [noArray] } as const
const s31 = { is: "object", values: s30, checks: [noArray, suiteNames] } as const
const s32 = { kinds: { object: s31, null: { oneOf: [null] } } } as const
const s33 = { oneOf: ["exclude","refuse"] } as const
const s34 = { is: "string", checks: [watchTime] } as const
const s35 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s36 = { is: "object", required: { for: s34 }, optional: { auto_rollback: { oneOf: [false,true] }, min_runs: s35, on_unusable: s33 }, others: "reject", checks: [noArray] } as const
const s37 = { kinds: { object: s36, null: { oneOf: [null] } } } as const
const s38 = { is: "object", optional: { agent_id: s28, capabilities: s12, cluster_by: s13, compare_by: s14, environment: s28, max_cost_increase_pct: s16, max_cost_per_run_usd: s3, max_error_rate: s5, max_error_rate_increase: s5, max_latency_increase_pct: s16, max_latency_ms: s7, max_latency_p90_increase_pct: s16, max_latency_p90_ms: s7, max_latency_p95_increase_pct: s16, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s16, max_latency_p99_ms: s7, max_score_drop: s19, max_segment_cost_increase_pct: s16, max_segment_error_rate_increase: s5, max_segment_latency_increase_pct: s16, max_tool_calls_increase_pct: s16, max_ttft_increase_pct: s16, max_ttft_ms: s7, max_ttft_p90_increase_pct: s16, max_ttft_p90_ms: s7, max_ttft_p95_increase_pct: s16, max_ttft_p95_ms: s7, max_ttft_p99_increase_pct: s16, max_ttft_p99_ms: s7, max_undeclared_tool_calls: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_days_to_retirement: s21, min_low_runs: s7, min_scores: s24, on_inconclusive: s25, on_rollback: s27, require_high_diff_confidence: { oneOf: [false,true] }, sequential: { oneOf: [false,true] }, suites: s32, unpriced: s33, watch: s37 }, others: "reject", checks: [noArray] } as const
const s39 = { is: "array", limits: [["maxLength", 200]], items: s38 } as const
const s40 = { is: "object", optional: { policy_id: s1, max_cost_per_run_usd: s3, max_error_rate: s5, max_latency_ms: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, require_high_diff_confidence: { oneOf: [false,true] }, capabilities: s12, cluster_by: s13, compare_by: s14, max_cost_increase_pct: s16, max_error_rate_increase: s5, max_latency_increase_pct: s16, max_latency_p90_increase_pct: s16, max_latency_p90_ms: s7, max_latency_p95_increase_pct: s16, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s16, max_latency_p99_ms: s7, max_score_drop: s19, max_segment_cost_increase_pct: s16, max_segment_error_rate_increase: s5, max_segment_latency_increase_pct: s16, max_tool_calls_increase_pct: s16, max_ttft_increase_pct: s16, max_ttft_ms: s7, max_ttft_p90_increase_pct: s16, max_ttft_p90_ms: s7, max_ttft_p95_increase_pct: s16, max_ttft_p95_ms: s7, max_ttft_p99_increase_pct: s16, max_ttft_p99_ms: s7, max_undeclared_tool_calls: s7, min_days_to_retirement: s21, min_scores: s24, on_inconclusive: s25, on_rollback: s27, overrides: s39, sequential: { oneOf: [false,true] }, suites: s32, unpriced: s33, watch: s37 }, others: "reject", defaults: {"policy_id":"default","max_cost_per_run_usd":null,"max_error_rate":null,"max_latency_ms":null,"min_baseline_runs":null,"min_candidate_runs":null,"min_low_runs":null,"require_high_diff_confidence":true}, checks: [noArray, overridesFit] } as const
export const Policy: Shape = s40
