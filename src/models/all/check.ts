import { type BadText, MAX_DEPTH, MAX_ITEMS, findBadText } from '../../base/text.ts'
import type { ModelValue } from './models.ts'
import type { Checked, Problem } from '../checks.ts'
import { Faults, type Shape, filled, fits } from '../shape.ts'

/** The shapes of what is checked while the service runs, each loaded when first needed. */
export const SHAPES = {
  BundleFiles: async () => (await import('../shapes/release.ts')).BundleFiles,
  CaseTries: async () => (await import('../shapes/scores.ts')).CaseTries,
  Policy: async () => (await import('../shapes/policy.ts')).Policy,
  PricingCatalog: async () => (await import('../shapes/pricing.ts')).PricingCatalog,
  PricingTable: async () => (await import('../shapes/pricing.ts')).PricingTable,
  Release: async () => (await import('../shapes/release.ts')).Release,
  RunEvent: async () => (await import('../shapes/run_event.ts')).RunEvent,
  ScoreCases: async () => (await import('../shapes/scores.ts')).ScoreCases,
  Capabilities: async () => (await import('../shapes/capabilities.ts')).Capabilities,
  WorkspaceConfig: async () => (await import('../shapes/workspace.ts')).WorkspaceConfig,
} as const

export type CheckedName = keyof typeof SHAPES

/** Validates a value against a model by name, and applies the model's defaults. */
export async function checkDocument<N extends CheckedName>(
  name: N,
  value: unknown,
): Promise<Checked<ModelValue<N>>> {
  return check<ModelValue<N>>(await SHAPES[name](), value)
}

export function check<T>(shape: Shape, value: unknown): Checked<T> {
  return checkBy(
    {
      fits: given => fits(shape, given),
      explained: given => {
        const faults = new Faults()
        fits(shape, given, faults)
        return faults.all()
      },
      filled: given => filled(shape, given) as T,
    },
    value,
  )
}

/** What judges values: a shape, or in tests its model. */
interface Judge<T> {
  readonly fits: (value: unknown) => boolean
  /** Every fault of a value. */
  readonly explained: (value: unknown) => Problem[]
  /** A value that fits, with its defaults. */
  readonly filled: (value: unknown) => T
}

/** Of many problems the first few dozen are listed. */
export function checkBy<T>(judge: Judge<T>, value: unknown): Checked<T> {
  const bad = findOversize(value) ?? findBadText(value)
  if (bad !== undefined)
    return { ok: false, problems: [{ path: bad.path, message: bad.message, type: 'text' }] }
  if (judge.fits(value)) return { ok: true, value: judge.filled(value) }
  return { ok: false, problems: problemsOf(judge, value) }
}

/**
 * Every fault takes a while to word, so of a long array only the first part with a fault is explained. Where no part has
 * one, the array itself is wrong: its length, or items that don't go together.
 */
function problemsOf({ fits: isFit, explained }: Judge<unknown>, value: unknown): readonly Problem[] {
  const long = longestArray(value)
  if (long === undefined) return explained(value)
  const { path, length } = long
  for (let start = 0; start < length; start += PART_ITEMS) {
    const part = withPart(value, path, start)
    if (isFit(part)) continue
    return explained(part).map(problem => {
      const index = problem.path[path.length]
      const isInside = typeof index === 'number' && path.every((key, depth) => problem.path[depth] === key)
      return isInside ? { ...problem, path: problem.path.with(path.length, index + start) } : problem
    })
  }
  return explained(value)
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

/** Most members of one object of a document, and most values in all. */
const MAX_KEYS = 1000
const MAX_VALUES = 100_000

/** The first object or array of a document with more members than any of ours has a use for. */
function findOversize(
  value: unknown,
  path: readonly (string | number)[] = [],
  budget = { left: MAX_VALUES },
): BadText | undefined {
  if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return undefined
  const isArray = Array.isArray(value)
  const size = isArray ? value.length : Object.keys(value).length
  const most = isArray ? MAX_ITEMS : MAX_KEYS
  budget.left -= size
  if (size > most) {
    return {
      path: [...path],
      message: `must not have more than ${most} ${isArray ? 'items' : 'fields'} (it has ${size})`,
    }
  }
  if (budget.left < 0) return { path: [], message: `must not have more than ${MAX_VALUES} values in all` }
  for (const [key, item] of Object.entries(value)) {
    const found = findOversize(item, [...path, isArray ? Number(key) : key], budget)
    if (found !== undefined) return found
  }
  return undefined
}
