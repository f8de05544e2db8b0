import { nearestNames, similarNames } from '../base/text.ts'
import { type Fields, isFields } from './checks.ts'
import type { Shape } from './shape.ts'

/** The names of the fields of an object: true where nothing below is named, a list for a list of objects. */
export interface KnownFields {
  readonly [field: string]: true | KnownFields | readonly [KnownFields]
}

/** The fields that the shape of an object names. */
export function knownOf(shape: Shape): KnownFields | true | readonly [KnownFields] {
  if ('oneOf' in shape) return true
  if ('kinds' in shape)
    return (
      Object.values(shape.kinds)
        .map(knownOf)
        .find(known => known !== true) ?? true
    )
  const { required, optional, items } = shape
  if (items !== undefined) {
    const item = knownOf(items)
    return item === true ? true : ([item] as readonly [KnownFields])
  }
  if (required === undefined && optional === undefined) return true
  const fields = Object.entries({ ...required, ...optional })
  return Object.fromEntries(fields.map(([key, field]) => [key, knownOf(field)]))
}

const MOST_NAMED = 20

/** Paths of the fields that no model knows, such as `metrics.sucess` or `usage.tools[].name`: the first of them. */
export function unknownFields(value: Fields, known: KnownFields): string[] {
  const found = new Set<string>()
  collect(value, known, '', found)
  return [...found]
}

function collect(value: Fields, known: KnownFields, place: string, found: Set<string>): void {
  for (const key in value) {
    if (found.size === MOST_NAMED) return
    const inner = Object.hasOwn(known, key) ? known[key]! : undefined
    if (inner === undefined) found.add(place + shortened(key))
    else if (inner !== true) {
      const within = placeIn(place + key, inner)
      for (const item of objectsIn(value[key], inner)) collect(item, knownIn(inner), within, found)
    }
  }
}

type Inner = KnownFields | readonly [KnownFields]

function isList(inner: Inner): inner is readonly [KnownFields] {
  return Array.isArray(inner)
}

function knownIn(inner: Inner): KnownFields {
  return isList(inner) ? inner[0] : inner
}

function placeIn(path: string, inner: Inner): string {
  return isList(inner) ? `${path}[].` : `${path}.`
}

function objectsIn(field: unknown, inner: Inner): readonly Fields[] {
  if (!isList(inner)) return isFields(field) ? [field] : []
  return Array.isArray(field) ? field.filter(isFields) : []
}

const MOST_CHARS = 64

function shortened(key: string): string {
  return key.length > MOST_CHARS ? `${key.slice(0, MOST_CHARS)}…` : key
}

/** That a field is `what`, such as "not a known setting", and which one was probably meant. */
export function unknownFieldText(path: string, known: KnownFields, what: string): string {
  const meant = meantNames(path, known)
  return `${path} is ${what}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

/** What libraries of providers call fields of ours. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
  prompt_tokens: 'input_tokens',
  completion_tokens: 'output_tokens',
  cached_tokens: 'cached_input_tokens',
  cache_read_input_tokens: 'cached_input_tokens',
  cache_creation_input_tokens: 'cache_write_input_tokens',
  duration_ms: 'latency_ms',
}

/** The most similar name in the same object, else the same name in another. */
export function meantField(path: string, known: KnownFields): string | undefined {
  return meantNames(path, known, (name, siblings) => similarNames(name, siblings, 1)[0])
}

/** The same, with all names that are equally similar: `metrics.latency_ms or latency_s`. */
function meantNames(path: string, known: KnownFields, nearest = nearestNames): string | undefined {
  const [place, name] = split(path)
  const all = pathsOf(known, '').map(split)
  const siblings = all.filter(([other]) => other === place).map(([, key]) => key)
  const elsewhere = NAMES_ELSEWHERE[name]
  const near = elsewhere !== undefined && siblings.includes(elsewhere) ? elsewhere : nearest(name, siblings)
  if (near !== undefined) return place + near
  return all.find(([, key]) => key === name)?.join('')
}

function split(path: string): readonly [place: string, name: string] {
  const start = path.lastIndexOf('.') + 1
  return [path.slice(0, start), path.slice(start)]
}

/** Every field by its path, such as `usage.tools[].tool_name`. */
export function pathsOf(known: KnownFields, place: string): string[] {
  return Object.entries(known).flatMap(([key, inner]) =>
    inner === true ? [place + key] : [place + key, ...pathsOf(knownIn(inner), placeIn(place + key, inner))],
  )
}
