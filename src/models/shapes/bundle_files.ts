// Generated from the models by `npm run generate`, and never edited.
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["divisor", 1], ["max", 9007199254740991], ["min", 0]] } as const
const s2 = { is: "string", limits: [[/^[0-9a-f]{64}$/]] } as const
const s3 = { kinds: { string: { is: "string" }, null: { oneOf: [null] } } } as const
const s4 = { is: "object", required: { bytes: s1, sha256: s2 }, optional: { text: s3 }, others: "reject" } as const
const s5 = { is: "object", values: s4 } as const
export const shape: Shape = s5
