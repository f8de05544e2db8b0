// Generated from the models by `npm run generate`, and never edited.
import { nameBytes, noArray } from '../checks.ts'
import { capabilitiesFit } from '../capability_checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { kinds: { string: s1, null: { oneOf: [null] } } } as const
const s3 = { is: "object", required: { agent_id: s1 }, optional: { version: s2 }, others: "reject", checks: [noArray] } as const
const s4 = { is: "array", limits: [["maxLength", 100]], items: s3 } as const
const s5 = { kinds: { object: s4, null: { oneOf: [null] } } } as const
const s6 = { oneOf: ["reads","sends","spends","writes"] } as const
const s7 = { is: "array", limits: [["maxLength", 4]], items: s6 } as const
const s8 = { kinds: { object: s7, null: { oneOf: [null] } } } as const
const s9 = { is: "string", limits: [[/^[0-9a-f]{64}$/, "a SHA-256 as 64 lowercase hex characters"]] } as const
const s10 = { kinds: { string: s9, null: { oneOf: [null] } } } as const
const s11 = { is: "array", limits: [["maxLength", 100]], items: s1 } as const
const s12 = { kinds: { object: s11, null: { oneOf: [null] } } } as const
const s13 = { is: "object", required: { name: s1 }, optional: { effects: s8, schema_sha256: s10, scopes: s12, version: s2 }, others: "reject", checks: [noArray] } as const
const s14 = { is: "array", items: s13 } as const
const s15 = { is: "object", required: { name: s1, tools: s14 }, optional: { version: s2 }, others: "reject", checks: [noArray] } as const
const s16 = { is: "array", limits: [["maxLength", 100]], items: s15 } as const
const s17 = { kinds: { object: s16, null: { oneOf: [null] } } } as const
const s18 = { is: "object", required: { model: s1 }, optional: { provider: s2 }, others: "reject", checks: [noArray] } as const
const s19 = { is: "array", limits: [["maxLength", 100]], items: s18 } as const
const s20 = { kinds: { object: s19, null: { oneOf: [null] } } } as const
const s21 = { kinds: { object: s14, null: { oneOf: [null] } } } as const
const s22 = { is: "object", optional: { agents: s5, mcp_servers: s17, models: s20, tools: s21 }, others: "reject", checks: [noArray, capabilitiesFit] } as const
export const Capabilities: Shape = s22
