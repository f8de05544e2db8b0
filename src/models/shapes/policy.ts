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
const s8 = { oneOf: ["task","tenant","time","window"] } as const
const s9 = { is: "number", limits: [["min", 0]], checks: [finite, increase] } as const
const s10 = { kinds: { number: s9, null: { oneOf: [null] } } } as const
const s11 = { is: "number", limits: [["max", 1000000], ["min", 0]] } as const
const s12 = { is: "object", values: s11, checks: [noArray, limitedNames] } as const
const s13 = { kinds: { object: s12, null: { oneOf: [null] } } } as const
const s14 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s15 = { is: "object", values: s14, checks: [noArray, limitedNames] } as const
const s16 = { kinds: { object: s15, null: { oneOf: [null] } } } as const
const s17 = { oneOf: ["block","estimate","pass"] } as const
const s18 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s19 = { is: "string", checks: [age] } as const
const s20 = { is: "object", optional: { max_age: s19, max_regressions: s6, min_pass_rate: s4, must_pass: { oneOf: [false,true] }, on_rollback: { oneOf: [false,true] }, require_judge_agreement: s4, same_bundle: { oneOf: [false,true] } }, others: "reject", checks: [noArray] } as const
const s21 = { is: "object", values: s20, checks: [noArray, suiteNames] } as const
const s22 = { kinds: { object: s21, null: { oneOf: [null] } } } as const
const s23 = { oneOf: ["exclude","refuse"] } as const
const s24 = { is: "string", checks: [watchTime] } as const
const s25 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s26 = { is: "object", required: { for: s24 }, optional: { auto_rollback: { oneOf: [false,true] }, min_runs: s25, on_undecidable: s23 }, others: "reject", checks: [noArray] } as const
const s27 = { kinds: { object: s26, null: { oneOf: [null] } } } as const
const s28 = { is: "object", optional: { agent_id: s18, compare_by: s8, environment: s18, max_cost_increase_pct: s10, max_cost_per_run_usd: s3, max_error_rate: s5, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s10, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s10, max_latency_increase_pct: s10, max_latency_ms: s7, max_latency_p95_increase_pct: s10, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s10, max_latency_p99_ms: s7, max_score_drop: s13, max_tool_calls_increase_pct: s10, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, min_scores: s16, on_inconclusive: s17, require_high_diff_confidence: { oneOf: [false,true] }, sequential: { oneOf: [false,true] }, suites: s22, unpriced: s23, watch: s27 }, others: "reject", checks: [noArray] } as const
const s29 = { is: "array", limits: [["maxLength", 200]], items: s28 } as const
const s30 = { is: "object", optional: { policy_id: s1, max_cost_per_run_usd: s3, max_error_rate: s5, max_latency_ms: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, require_high_diff_confidence: { oneOf: [false,true] }, compare_by: s8, max_cost_increase_pct: s10, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s10, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s10, max_latency_increase_pct: s10, max_latency_p95_increase_pct: s10, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s10, max_latency_p99_ms: s7, max_score_drop: s13, max_tool_calls_increase_pct: s10, min_scores: s16, on_inconclusive: s17, overrides: s29, sequential: { oneOf: [false,true] }, suites: s22, unpriced: s23, watch: s27 }, others: "reject", defaults: {"policy_id":"default","max_cost_per_run_usd":null,"max_error_rate":null,"max_latency_ms":null,"min_baseline_runs":null,"min_candidate_runs":null,"min_low_runs":null,"require_high_diff_confidence":true}, checks: [noArray, overridesFit] } as const
export const shape: Shape = s30
