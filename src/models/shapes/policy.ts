// Generated from the models by `npm run generate`, and never edited.
import { age, finite, increase, limitedNames, nameBytes, namePattern, noArray, overridesFit, suiteNames, watchTime } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s3 = { kinds: { number: s2, null: { oneOf: [null] } } } as const
const s4 = { is: "number", limits: [["max", 1], ["min", 0]] } as const
const s5 = { kinds: { number: s4, null: { oneOf: [null] } } } as const
const s6 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s7 = { kinds: { number: s6, null: { oneOf: [null] } } } as const
const s8 = { oneOf: ["session","tenant","time"] } as const
const s9 = { oneOf: ["task","tenant","time","window"] } as const
const s10 = { is: "number", limits: [["min", 0]], checks: [finite, increase] } as const
const s11 = { kinds: { number: s10, null: { oneOf: [null] } } } as const
const s12 = { is: "number", limits: [["max", 1000000], ["min", 0]] } as const
const s13 = { is: "object", values: s12, checks: [noArray, limitedNames] } as const
const s14 = { kinds: { object: s13, null: { oneOf: [null] } } } as const
const s15 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s16 = { is: "object", values: s15, checks: [noArray, limitedNames] } as const
const s17 = { kinds: { object: s16, null: { oneOf: [null] } } } as const
const s18 = { oneOf: ["block","estimate","pass"] } as const
const s19 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s20 = { is: "string", checks: [age] } as const
const s21 = { is: "object", optional: { max_age: s20, max_regressions: s6, min_pass_rate: s4, must_pass: { oneOf: [false,true] }, on_rollback: { oneOf: [false,true] }, require_judge_agreement: s4, same_bundle: { oneOf: [false,true] } }, others: "reject", checks: [noArray] } as const
const s22 = { is: "object", values: s21, checks: [noArray, suiteNames] } as const
const s23 = { kinds: { object: s22, null: { oneOf: [null] } } } as const
const s24 = { oneOf: ["exclude","refuse"] } as const
const s25 = { is: "string", checks: [watchTime] } as const
const s26 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s27 = { is: "object", required: { for: s25 }, optional: { auto_rollback: { oneOf: [false,true] }, min_runs: s26, on_undecidable: s24 }, others: "reject", checks: [noArray] } as const
const s28 = { kinds: { object: s27, null: { oneOf: [null] } } } as const
const s29 = { is: "object", optional: { agent_id: s19, cluster_by: s8, compare_by: s9, environment: s19, max_cost_increase_pct: s11, max_cost_per_run_usd: s3, max_error_rate: s5, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s11, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s11, max_latency_increase_pct: s11, max_latency_ms: s7, max_latency_p95_increase_pct: s11, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s11, max_latency_p99_ms: s7, max_score_drop: s14, max_tool_calls_increase_pct: s11, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, min_scores: s17, on_inconclusive: s18, require_high_diff_confidence: { oneOf: [false,true] }, sequential: { oneOf: [false,true] }, suites: s23, unpriced: s24, watch: s28 }, others: "reject", checks: [noArray] } as const
const s30 = { is: "array", limits: [["maxLength", 200]], items: s29 } as const
const s31 = { is: "object", optional: { policy_id: s1, max_cost_per_run_usd: s3, max_error_rate: s5, max_latency_ms: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, require_high_diff_confidence: { oneOf: [false,true] }, cluster_by: s8, compare_by: s9, max_cost_increase_pct: s11, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s11, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s11, max_latency_increase_pct: s11, max_latency_p95_increase_pct: s11, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s11, max_latency_p99_ms: s7, max_score_drop: s14, max_tool_calls_increase_pct: s11, min_scores: s17, on_inconclusive: s18, overrides: s30, sequential: { oneOf: [false,true] }, suites: s23, unpriced: s24, watch: s28 }, others: "reject", defaults: {"policy_id":"default","max_cost_per_run_usd":null,"max_error_rate":null,"max_latency_ms":null,"min_baseline_runs":null,"min_candidate_runs":null,"min_low_runs":null,"require_high_diff_confidence":true}, checks: [noArray, overridesFit] } as const
export const shape: Shape = s31
