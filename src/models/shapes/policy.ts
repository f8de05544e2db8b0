// Generated from the models by `npm run generate`, and never edited.
import { finite, forbiddenPower, increase, limitedNames, nameBytes, namePattern, noArray, overridesFit, watchTime } from '../checks.ts'
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
const s14 = { is: "number", limits: [["divisor", 1], ["max", 3650], ["min", 0]] } as const
const s15 = { kinds: { number: s14, null: { oneOf: [null] } } } as const
const s16 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s17 = { is: "object", values: s16, checks: [noArray, limitedNames] } as const
const s18 = { kinds: { object: s17, null: { oneOf: [null] } } } as const
const s19 = { oneOf: ["block","estimate","pass"] } as const
const s20 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, namePattern] } as const
const s21 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes, forbiddenPower] } as const
const s22 = { is: "array", limits: [["maxLength", 100]], items: s21 } as const
const s23 = { oneOf: ["block","tell"] } as const
const s24 = { is: "object", optional: { forbid: s22, widened: s23 }, others: "reject", checks: [noArray] } as const
const s25 = { kinds: { object: s24, null: { oneOf: [null] } } } as const
const s26 = { oneOf: ["exclude","refuse"] } as const
const s27 = { is: "string", checks: [watchTime] } as const
const s28 = { is: "number", limits: [["divisor", 1], ["max", 1000000], ["min", 10]] } as const
const s29 = { is: "object", required: { for: s27 }, optional: { auto_rollback: { oneOf: [false,true] }, min_runs: s28, on_undecidable: s26 }, others: "reject", checks: [noArray] } as const
const s30 = { kinds: { object: s29, null: { oneOf: [null] } } } as const
const s31 = { is: "object", optional: { agent_id: s20, compare_by: s8, environment: s20, max_cost_increase_pct: s10, max_cost_per_run_usd: s3, max_error_rate: s5, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s10, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s10, max_latency_increase_pct: s10, max_latency_ms: s7, max_latency_p95_increase_pct: s10, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s10, max_latency_p99_ms: s7, max_score_drop: s13, max_tool_calls_increase_pct: s10, max_undeclared_tool_calls: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_days_to_retirement: s15, min_low_runs: s7, min_scores: s18, on_inconclusive: s19, require_high_diff_confidence: { oneOf: [false,true] }, sequential: { oneOf: [false,true] }, surface: s25, unpriced: s26, watch: s30 }, others: "reject", checks: [noArray] } as const
const s32 = { is: "array", limits: [["maxLength", 200]], items: s31 } as const
const s33 = { is: "object", optional: { policy_id: s1, max_cost_per_run_usd: s3, max_error_rate: s5, max_latency_ms: s7, min_baseline_runs: s7, min_candidate_runs: s7, min_low_runs: s7, require_high_diff_confidence: { oneOf: [false,true] }, compare_by: s8, max_cost_increase_pct: s10, max_error_rate_increase: s5, max_hot_spot_cost_increase_pct: s10, max_hot_spot_error_rate_increase: s5, max_hot_spot_latency_increase_pct: s10, max_latency_increase_pct: s10, max_latency_p95_increase_pct: s10, max_latency_p95_ms: s7, max_latency_p99_increase_pct: s10, max_latency_p99_ms: s7, max_score_drop: s13, max_tool_calls_increase_pct: s10, max_undeclared_tool_calls: s7, min_days_to_retirement: s15, min_scores: s18, on_inconclusive: s19, overrides: s32, sequential: { oneOf: [false,true] }, surface: s25, unpriced: s26, watch: s30 }, others: "reject", defaults: {"policy_id":"default","max_cost_per_run_usd":null,"max_error_rate":null,"max_latency_ms":null,"min_baseline_runs":null,"min_candidate_runs":null,"min_low_runs":null,"require_high_diff_confidence":true}, checks: [noArray, overridesFit] } as const
export const shape: Shape = s33
