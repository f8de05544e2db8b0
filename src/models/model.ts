import { type Type, type } from 'arktype'
import type { Fields } from './checks.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- arktype's own bound for a type of anything
export type AnyModel = Type<any>

/** What is said of a model or a field besides its type; a description inside an arktype would replace the text of its errors. */
export interface Said {
  readonly about?: string
  /** Fields are listed in the order they are written in; arktype sorts them by name. */
  readonly rank?: number
  /** Defaults that are stated by behaviour rather than by value, by path. */
  readonly defaults?: Readonly<Record<string, unknown>>
  readonly examples?: readonly unknown[]
  /** The form of a text, and what follows "must be". */
  readonly form?: readonly [RegExp, string]
  /** Whether unknown fields are dropped: JSON Schema has one word for that and for refusing them. */
  readonly drops?: boolean
  /** Whether users write it, so that its texts are limited to what we keep. */
  readonly written?: true
}

/**
 * By name: `[type, what is said of it]`, with its value where it is left out, or an object that says it itself:
 * `rows: object('The limits.', { … }).array()`.
 */
type Definitions<F> = { [K in keyof F]: Definition<F[K]> }
type Definition<T> = T extends readonly [infer D, string, infer V]
  ? readonly [D, '=', V]
  : T extends readonly [infer D, string]
    ? D
    : T

export type ObjectOf<F> = type.instantiate<Definitions<F>>

let fieldCount = 0

/** An object by its fields: `object({ name: [Identifier, 'Name of the agent.'] })`, as a whole document with its description before. */
export function object<const F extends Fields>(fields: F): ObjectOf<F>
export function object<const F extends Fields>(about: string, fields: F): ObjectOf<F>
export function object(...given: readonly [Fields] | readonly [string, Fields]): AnyModel {
  if (given.length === 2) return said(object(given[1]), given[0])
  const entries = Object.entries(given[0]).map(([key, field]) => [key, definitionOf(field)])
  const model: AnyModel = type(Object.fromEntries(entries) as Record<string, never>)
  return given[0]['+'] === 'delete' ? configured(model, { drops: true }) : model
}

function definitionOf(field: unknown): unknown {
  if (typeof field === 'function') return configured(field as AnyModel, { rank: ++fieldCount })
  if (!Array.isArray(field)) return field
  const [is, about, ...fallback] = field as [never, string, ...unknown[]]
  const model = configured(type(is) as unknown as AnyModel, { about, rank: ++fieldCount })
  return fallback.length === 0 ? model : [model, '=', fallback[0]]
}

/** A model with what is said of it as a whole. */
export function said<T extends AnyModel>(
  model: T,
  about: string,
  more: Omit<Said, 'about' | 'rank'> = {},
): T {
  return configured(model, { about, ...more })
}

/** A model with what is said of it, which its errors don't show. */
export function configured<T extends AnyModel>(model: T, meta: Said): T {
  return model.configure(meta, 'self')
}
