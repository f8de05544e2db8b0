// Generated from the models by `npm run generate`, and never edited.
import { dateOrTimestamp, fallbackFits, finite, nameBytes, noArray } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s2 = { is: "string", limits: [[/^[0-9a-f]{64}$/, "a SHA-256 as 64 lowercase hex characters"]] } as const
const s3 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s4 = { is: "object", required: { bytes: s1, sha256: s2 }, optional: { text: s3 }, others: "reject" } as const
const s5 = { is: "object", values: s4 } as const
const s6 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s7 = { is: "string", checks: [dateOrTimestamp] } as const
const s8 = { kinds: { string: s7, null: { oneOf: [null] } } } as const
const s9 = { is: "object", required: { name: s6, version: s6 }, optional: { created_at: s8, created_by: s3, description: s3 } } as const
const s10 = { is: "object", required: { agent_id: s6 }, optional: { entrypoint: s3 } } as const
const s11 = { is: "object", required: { pricing_version: s6, provider: s6 } } as const
const s12 = { is: "number", limits: [["divisor", 1]] } as const
const s13 = { kinds: { number: s12, null: { oneOf: [null] } } } as const
const s14 = { is: "number", checks: [finite] } as const
const s15 = { kinds: { number: s14, null: { oneOf: [null] } } } as const
const s16 = { is: "object", required: { model: s6, provider: s6 }, optional: { max_output_tokens: s13, temperature: s15 } } as const
const s17 = { is: "string", limits: [["minLength", 1]] } as const
const s18 = { is: "array", items: { is: "string" } } as const
const s19 = { kinds: { object: s18, null: { oneOf: [null] } } } as const
const s20 = { is: "object", required: { system_ref: s17 }, optional: { template_refs: s19 } } as const
const s21 = { kinds: { object: s20, null: { oneOf: [null] } } } as const
const s22 = { oneOf: [false,null,true] } as const
const s23 = { is: "object", optional: { model: s6, on_error: s22 }, checks: [noArray] } as const
const s24 = { kinds: { object: s23, null: { oneOf: [null] } } } as const
const s25 = { oneOf: ["fallback_model","single_model",null] } as const
const s26 = { is: "object", optional: { fallback: s24, strategy: s25 }, checks: [noArray, fallbackFits] } as const
const s27 = { kinds: { object: s26, null: { oneOf: [null] } } } as const
const s28 = { is: "object", optional: { backoff_ms: s13, max_retries: s13 }, checks: [noArray] } as const
const s29 = { kinds: { object: s28, null: { oneOf: [null] } } } as const
const s30 = { is: "object", optional: { model_call: s13, tool_call: s13 }, checks: [noArray] } as const
const s31 = { kinds: { object: s30, null: { oneOf: [null] } } } as const
const s32 = { is: "object", optional: { retry_policy: s29, timeouts_ms: s31 }, checks: [noArray] } as const
const s33 = { kinds: { object: s32, null: { oneOf: [null] } } } as const
const s34 = { is: "object", optional: { manifest_ref: s3, tool_names: s19 }, checks: [noArray] } as const
const s35 = { kinds: { object: s34, null: { oneOf: [null] } } } as const
const s36 = { is: "object", required: { agent: s10, pricing_reference: s11, runtime: s16 }, optional: { capabilities: {}, prompts: s21, routing: s27, safety: s33, tools: s35 } } as const
const s37 = { is: "object", values: { is: "string" }, checks: [noArray] } as const
const s38 = { kinds: { object: s37, null: { oneOf: [null] } } } as const
const s39 = { is: "object", required: { api_version: { oneOf: ["v1"] }, kind: { oneOf: ["Release"] }, metadata: s9, spec: s36 }, optional: { tags: s38 } } as const
export const BundleFiles: Shape = s5
export const Release: Shape = s39
