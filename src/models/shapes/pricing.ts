// Generated from the models by `npm run generate`, and never edited.
import { calendarDay, finite, listedOnce, nameBytes, noArray } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "string", limits: [["maxLength", 512], ["minLength", 1]], checks: [nameBytes] } as const
const s2 = { oneOf: ["PricingCatalog"] } as const
const s3 = { is: "object", required: { catalog_slot_id: s1, model: s1, pricing_version: s1, provider: s1 } } as const
const s4 = { is: "array", items: s3 } as const
const s5 = { is: "number", limits: [["min", 0]], checks: [finite] } as const
const s6 = { kinds: { number: s5, null: { oneOf: [null] } } } as const
const s7 = { is: "object", required: { input_usd_per_1k_tokens: s5, output_usd_per_1k_tokens: s5 }, optional: { cached_input_usd_per_1k_tokens: s6 } } as const
const s8 = { is: "object", values: s7, checks: [noArray] } as const
const s9 = { is: "object", required: { api_version: { oneOf: ["v1"] }, catalog_version: s1, kind: s2, mappings: s4, tariffs: s8 } } as const
const s10 = { is: "string", limits: [[/^[^*]{1,500}\*?$/, "a model name, or how names begin and a star: azure/gpt-4.1*"]] } as const
const s11 = { is: "array", items: s10 } as const
const s12 = { kinds: { object: s11, null: { oneOf: [null] } } } as const
const s13 = { is: "string", checks: [calendarDay] } as const
const s14 = { kinds: { string: s13, null: { oneOf: [null] } } } as const
const s15 = { is: "object", required: { input_usd_per_1k_tokens: s5, model: s1, output_usd_per_1k_tokens: s5 }, optional: { aliases: s12, cache_write_input_usd_per_1k_tokens: s6, cached_input_usd_per_1k_tokens: s6, retires_on: s14 }, others: "reject" } as const
const s16 = { is: "array", items: s15 } as const
const s17 = { oneOf: ["genai-prices","litellm"] } as const
const s18 = { is: "string", limits: [[/^[0-9a-f]{64}$/, "a SHA-256 as 64 lowercase hex characters"]] } as const
const s19 = { is: "object", required: { format: s17, sha256: s18 } } as const
const s20 = { is: "object", required: { entries: s16, pricing_version: s1, provider: s1 }, optional: { source: s19 }, checks: [listedOnce] } as const
export const PricingCatalog: Shape = s9
export const PricingTable: Shape = s20
