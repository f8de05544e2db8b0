import type { Type } from 'arktype'

// oxlint-disable-next-line typescript/no-explicit-any -- arktype's own bound for a type of anything
export type AnyModel = Type<any>

/**
 * What JSON Schema says beyond the model itself. Kept next to the model, not in it: a description inside an
 * arktype replaces the text of its errors.
 */
export interface ModelDocs {
  readonly title: string
  readonly description: string
  /** By path, e.g. `usage.tools[].tool_name`. Every property has one; a test checks. */
  readonly fields: Readonly<Record<string, string>>
  /** Defaults that the model states by behaviour rather than by value, by path. */
  readonly defaults?: Readonly<Record<string, unknown>>
  readonly examples?: readonly unknown[]
  /** Whether users write it, so that its texts are limited to what we keep. */
  readonly written?: true
}

/** A model and what its JSON Schema says beyond it. */
export interface Documented<T extends AnyModel = AnyModel> {
  readonly model: T
  readonly docs: ModelDocs
}

export function documented<T extends AnyModel>(model: T, docs: ModelDocs): Documented<T> {
  return { model, docs }
}

/** Texts or defaults of a model as they are where it is part of another: `under('actions[].', action.docs.fields)`. */
export function under<T>(path: string, entries: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [path + key, value]))
}
