// Generated from the models by `npm run generate`, and never edited.
import { dateOrTimestamp, fallbackFits, finite, nameBytes, noArray } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { is: "string", checks: [dateOrTimestamp] } as const
const s3 = { kinds: { string: s2, null: { oneOf: [null] } } } as const
const s4 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s5 = { is: "object", required: { name: s1, version: s1 }, optional: { created_at: s3, created_by: s4, description: s4 } } as const
const s6 = { is: "object", required: { agent_id: s1 }, optional: { entrypoint: s4 } } as const
const s7 = { is: "object", required: { pricing_version: s1, provider: s1 } } as const
const s8 = { is: "number", limits: [["divisor", 1]] } as const
const s9 = { kinds: { number: s8, null: { oneOf: [null] } } } as const
const s10 = { is: "number", checks: [finite] } as const
const s11 = { kinds: { number: s10, null: { oneOf: [null] } } } as const
const s12 = { is: "object", required: { model: s1, provider: s1 }, optional: { max_output_tokens: s9, temperature: s11 } } as const
const s13 = { is: "string", limits: [["minLength", 1]] } as const
const s14 = { is: "array", items: { is: "string" } } as const
const s15 = { kinds: { object: s14, null: { oneOf: [null] } } } as const
const s16 = { is: "object", required: { system_ref: s13 }, optional: { template_refs: s15 } } as const
const s17 = { kinds: { object: s16, null: { oneOf: [null] } } } as const
const s18 = { oneOf: [false,null,true] } as const
const s19 = { is: "object", optional: { model: s1, on_error: s18 }, checks: [noArray] } as const
const s20 = { kinds: { object: s19, null: { oneOf: [null] } } } as const
const s21 = { oneOf: ["fallback_model","single_model",null] } as const
const s22 = { is: "object", optional: { fallback: s20, strategy: s21 }, checks: [noArray, fallbackFits] } as const
const s23 = { kinds: { object: s22, null: { oneOf: [null] } } } as const
const s24 = { is: "object", optional: { backoff_ms: s9, max_retries: s9 }, checks: [noArray] } as const
const s25 = { kinds: { object: s24, null: { oneOf: [null] } } } as const
const s26 = { is: "object", optional: { model_call: s9, tool_call: s9 }, checks: [noArray] } as const
const s27 = { kinds: { object: s26, null: { oneOf: [null] } } } as const
const s28 = { is: "object", optional: { retry_policy: s25, timeouts_ms: s27 }, checks: [noArray] } as const
const s29 = { kinds: { object: s28, null: { oneOf: [null] } } } as const
const s30 = { is: "object", optional: { manifest_ref: s4, tool_names: s15 }, checks: [noArray] } as const
const s31 = { kinds: { object: s30, null: { oneOf: [null] } } } as const
const s32 = { is: "object", required: { agent: s6, pricing_reference: s7, runtime: s12 }, optional: { prompts: s17, routing: s23, safety: s29, surface: {}, tools: s31 } } as const
const s33 = { is: "object", values: { is: "string" }, checks: [noArray] } as const
const s34 = { kinds: { object: s33, null: { oneOf: [null] } } } as const
const s35 = { is: "object", required: { api_version: { oneOf: ["v1"] }, kind: { oneOf: ["Release"] }, metadata: s5, spec: s32 }, optional: { tags: s34 } } as const
export const shape: Shape = s35
