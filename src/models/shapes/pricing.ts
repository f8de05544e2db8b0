// Generated from the models by `npm run generate`, and never edited.
import { finite, listedOnce, nameBytes } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s2 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s3 = { kinds: { number: s1, null: { oneOf: [null] } } } as const
const s4 = { is: "object", required: { input_usd_per_1k_tokens: s1, model: s2, output_usd_per_1k_tokens: s1 }, optional: { cache_write_input_usd_per_1k_tokens: s3, cached_input_usd_per_1k_tokens: s3 }, others: "reject" } as const
const s5 = { is: "array", items: s4 } as const
const s6 = { oneOf: ["genai-prices","litellm"] } as const
const s7 = { is: "string", limits: [[/^[0-9a-f]{64}$/]] } as const
const s8 = { is: "object", required: { format: s6, sha256: s7 } } as const
const s9 = { is: "object", required: { entries: s5, pricing_version: s2, provider: s2 }, optional: { source: s8 }, checks: [listedOnce] } as const
export const shape: Shape = s9
