import { parseRate } from '../base/buckets.ts'
import { DATABASE_URL, DATABASE_URLS } from '../base/database_url.ts'
import { fitsBytes } from '../base/text.ts'
import { parseTimestamp } from '../base/time.ts'

/** Why a value is none of a kind; `path` leads to the part of it that is not. */
export interface Fault {
  readonly path?: readonly (string | number)[]
  readonly expected: string
  readonly actual: string
}

/** What no type says: the fault of a value, or undefined. Models and generated acceptors use the same ones. */
export type Check<T> = (value: T) => Fault | undefined

interface Rejecting {
  reject(problem: { relativePath?: PropertyKey[]; expected: string; actual: string }): false
}

/** A check as arktype takes it, which can still be told for what it is. */
export interface Narrowing<T> {
  (value: T, ctx: Rejecting): boolean
  readonly check: Check<T>
}

export function by<T>(check: Check<T>): Narrowing<T> {
  const narrow = (value: T, ctx: Rejecting): boolean => {
    const fault = check(value)
    if (fault === undefined) return true
    const { path, expected, actual } = fault
    return ctx.reject({ ...(path === undefined ? {} : { relativePath: [...path] }), expected, actual })
  }
  return Object.assign(narrow, { check })
}

type Keywords = Readonly<Record<string, unknown>>

/** What JSON Schema says of what passes a check; nothing where it has no words for it. */
export function keywordsOf(narrow: object): Keywords {
  return KEYWORDS.get((narrow as Partial<Narrowing<unknown>>).check) ?? {}
}

const MAX_ID_BYTES = 512

/** At most 512 bytes of UTF-8. */
export const nameBytes: Check<string> = text =>
  fitsBytes(text, MAX_ID_BYTES)
    ? undefined
    : { expected: `at most ${MAX_ID_BYTES} bytes long`, actual: `${text.length} characters` }

export const timestamp: Check<string> = text =>
  parseTimestamp(text) === undefined
    ? {
        expected: 'an ISO-8601 date and time from 1970 on, such as 2026-01-31T12:00:00Z',
        actual: quoted(text),
      }
    : undefined

/** How many requests in what time. */
export const rate: Check<string> = text =>
  parseRate(text) === undefined
    ? { expected: '{N}/s, {N}/m or {N}/h, such as 100/s', actual: quoted(text) }
    : undefined

/** Where an identity provider is: over plain HTTP only on this machine, as in tests. */
export const issuerUrl: Check<string> = text =>
  /^https:\/\/[^\s/?#]+[^\s?#]*$|^http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/[^\s?#]*)?$/.test(text)
    ? undefined
    : { expected: 'an https:// URL', actual: quoted(text) }

/** An age as windows are written. */
export const age: Check<string> = text =>
  /^[1-9]\d{0,5}[dhm]$/.test(text)
    ? undefined
    : { expected: 'a positive number and d, h or m, such as 90d', actual: quoted(text) }

export const instant: Check<string> = text =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)
    ? undefined
    : { expected: 'an ISO-8601 date and time in UTC', actual: quoted(text) }

export const dateOrTimestamp: Check<string> = text =>
  parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text) === undefined
    ? { expected: 'an ISO-8601 date, with or without a time, such as 2026-01-31', actual: quoted(text) }
    : undefined

export const finite: Check<number> = value =>
  Number.isFinite(value) ? undefined : { expected: 'a finite number', actual: String(value) }

/** A limit on a rise: percent are easily taken for fractions, and no such limit would ever stop anything. */
export const increase: Check<number> = value =>
  value <= 2
    ? undefined
    : { expected: 'a fraction up to 2, where 0.1 is +10 % and 2 is +200 %', actual: String(value) }

/** arktype alone takes an array for an object where every key is optional. */
export const noArray: Check<object> = value =>
  Array.isArray(value) ? { expected: 'an object', actual: 'an array' } : undefined

/** A DSN can hold a password, so the fault doesn't show it. */
export const databaseUrl: Check<string> = text =>
  DATABASE_URL.test(text) ? undefined : { expected: DATABASE_URLS, actual: 'another text' }

/** No model of a price table is listed twice. */
export const listedOnce: Check<{ readonly entries: readonly { readonly model: string }[] }> = ({
  entries,
}) => {
  const seen = new Set<string>()
  for (const [index, { model }] of entries.entries()) {
    if (seen.has(model)) {
      return { path: ['entries', index, 'model'], expected: 'listed once', actual: JSON.stringify(model) }
    }
    seen.add(model)
  }
  return undefined
}

/** Tokens written to a cache are a part of the input tokens. */
export const writesWithinInput: Check<{
  readonly input_tokens: number
  readonly cache_write_input_tokens?: number
}> = ({ input_tokens, cache_write_input_tokens = 0 }) =>
  cache_write_input_tokens > input_tokens
    ? {
        path: ['cache_write_input_tokens'],
        expected: `at most the input_tokens, of which they are a part (${input_tokens})`,
        actual: String(cache_write_input_tokens),
      }
    : undefined

interface Routing {
  readonly strategy?: string | null
  readonly fallback?: { readonly model?: string } | null
}

/** A fallback goes with the strategy that uses one, and only with that. */
export const fallbackFits: Check<Routing> = ({ strategy, fallback }) => {
  const wantsFallback = strategy === 'fallback_model'
  if (wantsFallback && fallback?.model === undefined) {
    return {
      path: ['fallback', 'model'],
      expected: "a model name, because strategy is 'fallback_model'",
      actual: 'missing',
    }
  }
  if (!wantsFallback && fallback != null) {
    return { path: ['fallback'], expected: "left out unless strategy is 'fallback_model'", actual: 'set' }
  }
  return undefined
}

const KEYWORDS: ReadonlyMap<unknown, Keywords> = new Map<unknown, Keywords>([
  [timestamp, { format: 'date-time' }],
  [instant, { format: 'date-time' }],
  [dateOrTimestamp, { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}' }],
  [
    fallbackFits,
    {
      if: { required: ['strategy'], properties: { strategy: { const: 'fallback_model' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- that is what JSON Schema calls it
      then: {
        required: ['fallback'],
        properties: {
          fallback: { type: 'object', required: ['model'], properties: { model: { type: 'string' } } },
        },
      },
      else: { properties: { fallback: { type: 'null' } } },
    },
  ],
])

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
