// Generated from the models by `npm run generate`, and never edited.
import { calendarDay, finite, listedOnce, nameBytes } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s2 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s3 = { kinds: { number: s1, null: { oneOf: [null] } } } as const
const s4 = { is: "string", checks: [calendarDay] } as const
const s5 = { kinds: { string: s4, null: { oneOf: [null] } } } as const
const s6 = { is: "object", required: { input_usd_per_1k_tokens: s1, model: s2, output_usd_per_1k_tokens: s1 }, optional: { cache_write_input_usd_per_1k_tokens: s3, cached_input_usd_per_1k_tokens: s3, retires_on: s5 }, others: "reject" } as const
const s7 = { is: "array", items: s6 } as const
const s8 = { oneOf: ["genai-prices","litellm"] } as const
const s9 = { is: "string", limits: [[/^[0-9a-f]{64}$/]] } as const
const s10 = { is: "object", required: { format: s8, sha256: s9 } } as const
const s11 = { is: "object", required: { entries: s7, pricing_version: s2, provider: s2 }, optional: { source: s10 }, checks: [listedOnce] } as const
export const shape: Shape = s11
