import { type } from 'arktype'
import type { CheckedName } from './check.ts'
import type { ModelValue } from './models.ts'
import { NAMED, actorBytes, by, proseBytes, undisguised, windowBytes } from '../checks.ts'
import { type AnyModel, object, said } from '../model.ts'
import { Identifier, ofForm } from '../scalars.ts'

/**
 * What an endpoint takes: the names in its path, its query, and a flat JSON body, each a model. What runs is generated from
 * them: `shapes/inputs.ts` and the schemas of the API.
 */
export interface Input<P extends Parts = Parts> {
  readonly parts: { readonly [N in keyof P]: AnyModel }
  /** Fields of the body that are whole documents, which have a model and a shape of their own. */
  readonly documents: Readonly<Record<string, CheckedName>>
  /** For the compiler alone. */
  readonly values?: { readonly [N in keyof P]: P[N] extends Fields ? Values<P[N]> : never }
}

export type Parts = { readonly [N in 'path' | 'query' | 'body']?: Fields }

/** By name; `name?` may be left out. With the type, what is said of it, and its value where it is left out. */
type Fields = Readonly<Record<string, Field>>
type Field = readonly [is: AnyModel | DocumentField, about: string, fallback?: boolean | number]

interface DocumentField<N extends CheckedName = CheckedName> {
  readonly document: N
}

type Values<F extends Fields> = {
  readonly [K in keyof F as K extends `${string}?` ? never : K]: ValueOf<F[K][0]>
} & {
  readonly [K in keyof F as K extends `${infer N}?` ? N : never]?: ValueOf<F[K][0]> | undefined
}

type ValueOf<T> = T extends AnyModel ? T['infer'] : T extends DocumentField<infer N> ? ModelValue<N> : never

export function input<const P extends Parts>(parts: P): Input<P> {
  const documents = Object.entries(parts.body ?? {}).flatMap(([key, [is]]) =>
    'document' in is ? [[nameIn(key), is.document] as const] : [],
  )
  return {
    parts: Object.fromEntries(
      Object.entries(parts).map(([part, fields]) => [part, partOf(fields)]),
    ) as Input<P>['parts'],
    documents: Object.fromEntries(documents),
  }
}

function partOf(fields: Fields): AnyModel {
  const entries = Object.entries(fields).map(([key, [is, ...rest]]) => [
    key,
    ['document' in is ? type.unknown : is, ...rest],
  ])
  return said(object({ ...Object.fromEntries(entries), '+': 'reject' }) as AnyModel, '', { written: true })
}

function nameIn(key: string): string {
  return key.replace(/\?$/, '')
}

/**
 * Inputs by name. The `models.ts` of a feature adds its own.
 *
 * @public
 */
export interface Inputs {}

export type InputName = keyof Inputs

/** A part of an input, as it is once it is read. */
export type InputPart<N extends InputName, P extends keyof Parts> =
  Inputs[N] extends Input<infer F>
    ? P extends keyof F
      ? F[P] extends Fields
        ? Values<F[P]>
        : Nothing
      : Nothing
    : Nothing

// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-generated-empty-object-type -- an endpoint without such fields
export type Nothing = {}

/** A key that people read and compare, such as the environment that a decision is about. */
export const Label = Identifier.narrow(by(undisguised))

/** Free text. */
export const Prose = type.string.narrow(by(proseBytes))

/** A window. What else is understood, and what isn't, the operation says (specification, Errors: 400). */
export const Window = type.string.narrow(by(windowBytes))

/** Where a window ends that does not end now. */
export const Moment = ofForm(
  /^\d{4}-\d\d-\d\d[Tt ][\d:.,]+(?:[Zz]|[+-][\d:]+)?$/,
  'an ISO-8601 date and time, such as 2026-11-27T12:00:00Z',
)

/** The name of a suite of evaluations, as scores are named. */
export const SuiteName = ofForm(/^[a-z0-9][a-z0-9_.-]{0,63}$/, `${NAMED}, such as regression`)

export const Positive = type(`1 <= number.integer <= ${Number.MAX_SAFE_INTEGER}`)

export function oneOf<const V extends readonly string[]>(values: V) {
  return type.enumerated(...values)
}

/** At least one of some values, and at most so many. */
export function some<T extends AnyModel>(item: T, most = 100) {
  return item.array().atLeastLength(1).atMostLength(most) as ReturnType<T['array']>
}

/** Who asks, or what they do to it, such as `cancels`. */
export function whoField(does = 'asks') {
  const about = `Who ${does}, unless an identity header says so. Default http.`
  return { 'actor?': [type.string.narrow(by(actorBytes)), about] } as const
}

/** How much of a list is returned, of such things as `webhooks`. */
export function limitField(things: string, fallback = 50) {
  return {
    limit: [type('1 <= number.integer <= 500'), `Most ${things} to return.`, fallback],
  } as const
}
