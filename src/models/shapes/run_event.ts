// Generated from the models by `npm run generate`, and never edited.
import { finite, nameBytes, noArray, scoreNames, timestamp, unitDigest, writesWithinInput } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { is: "string", limits: [["maxLength", 512]], checks: [nameBytes] } as const
const s3 = { is: "string", checks: [timestamp] } as const
const s4 = { is: "number", limits: [["divisor", 1], ["max", 1000000000000], ["min", 0]] } as const
const s5 = { is: "object", required: { input_tokens: s4, model: s1, output_tokens: s4, provider: s1 }, optional: { cache_write_input_tokens: s4, cached_input_tokens: s4, served_model: s1 }, checks: [writesWithinInput] } as const
const s6 = { is: "array", limits: [["maxLength", 100]], items: s5 } as const
const s7 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s8 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s9 = { is: "object", required: { tool_name: { is: "string" } }, optional: { cost_units: s7, invocations: s8 } } as const
const s10 = { is: "array", items: s9 } as const
const s11 = { is: "object", required: { model: s5 }, optional: { incomplete: { oneOf: [false,true] }, models: s6, tools: s10 } } as const
const s12 = { is: "string", checks: [unitDigest] } as const
const s13 = { kinds: { string: s12, null: { oneOf: [null] } } } as const
const s14 = { is: "object", optional: { unit: s13 }, checks: [noArray] } as const
const s15 = { kinds: { object: s14, null: { oneOf: [null] } } } as const
const s16 = { is: "object", values: { is: "string" }, checks: [noArray] } as const
const s17 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s18 = { is: "number", limits: [["divisor", 1], ["max", 10000000000], ["min", 0]] } as const
const s19 = { kinds: { number: s18, null: { oneOf: [null] } } } as const
const s20 = { is: "object", optional: { error_type: s17, latency_ms: s19, success: { oneOf: [false,true] }, ttft_ms: s19 }, checks: [noArray] } as const
const s21 = { kinds: { string: s2, null: { oneOf: [null] } } } as const
const s22 = { is: "object", optional: { session_id: s21, span_id: s21, trace_id: s21 }, checks: [noArray] } as const
const s23 = { kinds: { object: s22, null: { oneOf: [null] } } } as const
const s24 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s25 = { is: "object", values: s24, checks: [noArray, scoreNames] } as const
const s26 = { oneOf: ["run_end","run_start"] } as const
const s27 = { is: "object", required: { agent_id: s1, environment: s1, release_id: s1, run_id: s1, task_id: s2, tenant_id: s2, timestamp: s3, usage: s11 }, optional: { api_version: { oneOf: ["v1"] }, assignment: s15, labels: s16, metrics: s20, request: s23, scores: s25, type: s26, workspace_id: s2 } } as const
export const RunEvent: Shape = s27
