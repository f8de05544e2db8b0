// Generated from the models by `npm run generate`, and never edited.
import { caseFits, finite, nameBytes, noArray, scoreNames } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { kinds: { string: s1, null: { oneOf: [null] } } } as const
const s3 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s4 = { kinds: { number: s3, null: { oneOf: [null] } } } as const
const s5 = { is: "number", limits: [["divisor", 1], ["max", 10000], ["min", 1]] } as const
const s6 = { oneOf: [false,null,true] } as const
const s7 = { is: "string", limits: [[/^[0-9a-f]{64}$/, "a SHA-256 as 64 lowercase hex characters"]] } as const
const s8 = { kinds: { string: s7, null: { oneOf: [null] } } } as const
const s9 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s10 = { is: "object", values: s9, checks: [noArray, scoreNames] } as const
const s11 = { is: "string", limits: [["maxLength", 64], ["minLength", 1]] } as const
const s12 = { is: "array", limits: [["maxLength", 20]], items: s11 } as const
const s13 = { kinds: { object: s12, null: { oneOf: [null] } } } as const
const s14 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s15 = { kinds: { number: s14, null: { oneOf: [null] } } } as const
const s16 = { is: "string", limits: [["maxLength", 512]], checks: [nameBytes] } as const
const s17 = { kinds: { string: s16, null: { oneOf: [null] } } } as const
const s18 = { is: "object", optional: { cluster: s2, cost_usd: s4, duration_ms: s4, epoch: s5, human_passed: s6, id: s2, input_sha256: s8, passed: s6, scores: s10, tags: s13, tokens: s15, trace_id: s17 }, others: "reject", checks: [noArray, caseFits] } as const
const s19 = { is: "array", limits: [["maxLength", 1000], ["minLength", 1]], items: s18 } as const
const s20 = { is: "array", limits: [["maxLength", 50000], ["minLength", 1]], items: s10 } as const
export const CaseTries: Shape = s19
export const ScoreCases: Shape = s20
