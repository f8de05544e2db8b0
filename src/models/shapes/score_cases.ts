// Generated from the models by `npm run generate`, and never edited.
import { noArray, scoreNames } from '../checks.ts'
import type { Shape } from '../shape.ts'

const s1 = { is: "number", limits: [["max", 1000000], ["min", -1000000]] } as const
const s2 = { is: "object", values: s1, checks: [noArray, scoreNames] } as const
const s3 = { is: "array", limits: [["maxLength", 50000], ["minLength", 1]], items: s2 } as const
export const shape: Shape = s3
