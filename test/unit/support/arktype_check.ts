import { type as ark } from 'arktype'
import { findBadText, findOversize } from '../../../src/base/text.ts'
import type { AnyModel } from '../../../src/models/docs.ts'
import { type Checked, type Problem, UNKNOWN_FIELD } from '../../../src/models/problems.ts'

/** What arktype itself says of a value, as `check` of src/models/check.ts has to say it. */
export function checkByArktype<T extends AnyModel>(model: T, data: unknown): Checked<T['infer']> {
  const bad = findOversize(data) ?? findBadText(data)
  if (bad !== undefined)
    return { ok: false, problems: [{ path: bad.path, message: bad.message, type: 'text' }] }
  if (!model.allows(data)) return { ok: false, problems: problemsOf(model, data) }
  const result: unknown = model(data)
  if (!(result instanceof ark.errors)) return { ok: true, value: result as T['infer'] }
  return { ok: false, problems: toProblems(result) }
}

/**
 * The model lists every fault of a value and takes long to word each, so of a long array a part is looked at: the
 * first one with a fault. Where no part has one, it is the array itself that is wrong: its length, or items that don't
 * go together.
 */
function problemsOf(model: AnyModel, data: unknown): readonly Problem[] {
  const long = longestArray(data)
  if (long === undefined) return explained(model, data)
  const { path, length } = long
  for (let start = 0; start < length; start += PART_ITEMS) {
    const part = withPart(data, path, start)
    if (model.allows(part)) continue
    return explained(model, part).map(problem => {
      const index = problem.path[path.length]
      const isInside = typeof index === 'number' && path.every((key, depth) => problem.path[depth] === key)
      return isInside ? { ...problem, path: problem.path.with(path.length, index + start) } : problem
    })
  }
  return explained(model, data)
}

/** Items of an array that are explained at a time. */
const PART_ITEMS = 50

interface LongArray {
  readonly path: readonly (string | number)[]
  readonly length: number
}

function longestArray(value: unknown, path: readonly (string | number)[] = []): LongArray | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const own = Array.isArray(value) && value.length > PART_ITEMS ? { path, length: value.length } : undefined
  if (own !== undefined) return own
  const found = Object.entries(value).map(([key, item]) =>
    longestArray(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return found.reduce((most, one) => ((one?.length ?? 0) > (most?.length ?? 0) ? one : most), undefined)
}

function withPart(value: unknown, [key, ...rest]: readonly (string | number)[], start: number): unknown {
  if (key === undefined) return (value as unknown[]).slice(start, start + PART_ITEMS)
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  const members = copy as Record<string | number, unknown>
  members[key] = withPart(members[key], rest, start)
  return copy
}

function explained(model: AnyModel, data: unknown): Problem[] {
  const result: unknown = model(data)
  return result instanceof ark.errors ? toProblems(result) : []
}

function toProblems(errors: InstanceType<typeof ark.errors>): Problem[] {
  return errors
    .flatMap(error => error.flat)
    .map(error => ({
      path: [...error.path].map(plainKey),
      message: shortened(messageOf(error)),
      type: TYPES[error.code as keyof typeof TYPES] ?? error.code,
    }))
}

const MAX_MESSAGE_CHARS = 300

const TYPES = {
  required: 'missing',
  domain: 'type',
  proto: 'type',
  union: 'type',
  unit: 'value',
  divisor: 'integer',
  min: 'minimum',
  max: 'maximum',
  minLength: 'too_short',
  maxLength: 'too_long',
  predicate: 'value',
} as const

function plainKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key)
}

function messageOf({ code, message, problem, actual }: ArkProblem): string {
  if (code === 'required') return 'is required'
  if (code === 'predicate' && actual === '' && message.endsWith('must be removed')) {
    return UNKNOWN_FIELD
  }
  // arktype repeats the path inside the problem of a union
  const at = problem.indexOf('must be ')
  return at > 0 ? problem.slice(at) : problem
}

/** arktype shows the whole value that was given, however long. */
function shortened(message: string): string {
  return message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS)}…` : message
}

interface ArkProblem {
  readonly code: string
  readonly message: string
  readonly problem: string
  readonly actual: string
}
