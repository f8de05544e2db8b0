import { parseRate } from '../base/buckets.ts'
import { DATABASE_URL, DATABASE_URLS } from '../base/database_url.ts'
import { fitsBytes } from '../base/text.ts'
import { DAY_MS, durationMs, parseDateOrTimestamp, parseTimestamp } from '../base/time.ts'
import type { Check, Fault } from './problems.ts'
import { INPUT_KEYWORDS } from './input_checks.ts'

interface Rejecting {
  reject(problem: { relativePath?: PropertyKey[]; expected: string; actual: string }): false
}

/** A check as arktype takes it, which keeps what it was made of. */
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

/** A user as a hash: a name would be stored, and could not be taken back. */
export const unitDigest: Check<string> = text =>
  /^[0-9a-f]{64}$/.test(text)
    ? undefined
    : { expected: 'the HMAC-SHA-256 of the key as 64 lowercase hex characters', actual: 'another text' }

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

/** How long a watch lasts. */
export const watchTime: Check<string> = text => {
  const ms = durationMs(text)
  return ms !== undefined && ms <= 30 * DAY_MS
    ? undefined
    : { expected: 'a time up to 30 days as a number and d, h or m, such as 2h', actual: quoted(text) }
}

export const instant: Check<string> = text =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)
    ? undefined
    : { expected: 'an ISO-8601 date and time in UTC', actual: quoted(text) }

export const dateOrTimestamp: Check<string> = text =>
  parseDateOrTimestamp(text) === undefined
    ? { expected: 'an ISO-8601 date, with or without a time, such as 2026-01-31', actual: quoted(text) }
    : undefined

/** A day of the calendar, without a time. */
export const calendarDay: Check<string> = text =>
  /^\d{4}-\d\d-\d\d$/.test(text) && parseDateOrTimestamp(text) !== undefined
    ? undefined
    : { expected: 'a day such as 2026-01-31', actual: quoted(text) }

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

/** Most scores of one run, and characters of the name of one. */
const MOST_SCORES = 50
const MOST_NAME_CHARS = 64

const SCORE_NAME = '[a-z0-9][a-z0-9_.-]*'

/** Scores are named in lower case, and there are at most 50. */
export const scoreNames: Check<object> = scores => namesFault(scores, RUN_SCORE, 'such as faithfulness')

/** A policy also names the scores of evaluations, by suite. */
export const limitedNames: Check<object> = limits =>
  namesFault(limits, LIMITED_SCORE, 'such as faithfulness, or regression/pass_rate of a suite')

const RUN_SCORE = new RegExp(`^${SCORE_NAME}$`)
const LIMITED_SCORE = new RegExp(`^(${SCORE_NAME}/)?${SCORE_NAME}$`)
const NAMED = `a name of a-z, 0-9, _, . and -, at most ${MOST_NAME_CHARS} long`

function namesFault(named: object, pattern: RegExp, example: string): Fault | undefined {
  const names = Object.keys(named)
  if (names.length > MOST_SCORES)
    return { expected: `at most ${MOST_SCORES} scores`, actual: String(names.length) }
  const odd = names.find(
    name => !pattern.test(name) || name.split('/').some(part => part.length > MOST_NAME_CHARS),
  )
  return odd === undefined
    ? undefined
    : {
        path: [odd.slice(0, MOST_NAME_CHARS)],
        expected: `${NAMED}, ${example}`,
        actual: quoted(odd),
      }
}

interface Identified {
  readonly id?: string | null
  readonly input_sha256?: string | null
  readonly passed?: boolean | null
  readonly scores?: Readonly<Record<string, number>>
}

/** A case is known by its id or its input, and has a score. */
export const caseFits: Check<Identified> = ({ id, input_sha256, passed, scores = {} }) => {
  if ((id == null) === (input_sha256 == null)) {
    const actual = id == null ? 'neither' : 'both'
    return { path: ['id'], expected: 'given, or input_sha256 in its place', actual }
  }
  if (passed != null && scores.pass_rate !== undefined) {
    return { path: ['scores', 'pass_rate'], expected: 'left out where passed is given', actual: 'set' }
  }
  return passed == null && Object.keys(scores).length === 0
    ? { path: ['scores'], expected: 'given, or passed', actual: 'missing' }
    : undefined
}

/** Most suites that a policy names. */
const MOST_SUITES = 50

/** Suites are named as scores are. */
export const suiteNames: Check<object> = suites => {
  const names = Object.keys(suites)
  if (names.length > MOST_SUITES) {
    return { expected: `at most ${MOST_SUITES} suites`, actual: String(names.length) }
  }
  const odd = names.find(name => !RUN_SCORE.test(name) || name.length > MOST_NAME_CHARS)
  return odd === undefined
    ? undefined
    : {
        path: [odd.slice(0, MOST_NAME_CHARS)],
        expected: `${NAMED}, such as regression`,
        actual: quoted(odd),
      }
}

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
  ...INPUT_KEYWORDS,
  [
    scoreNames,
    {
      maxProperties: MOST_SCORES,
      propertyNames: { pattern: RUN_SCORE.source, maxLength: MOST_NAME_CHARS },
    },
  ],
  [limitedNames, { maxProperties: MOST_SCORES, propertyNames: { pattern: LIMITED_SCORE.source } }],
  [
    suiteNames,
    {
      maxProperties: MOST_SUITES,
      propertyNames: { pattern: RUN_SCORE.source, maxLength: MOST_NAME_CHARS },
    },
  ],
  [unitDigest, { pattern: '^[0-9a-f]{64}$' }],
  [timestamp, { format: 'date-time' }],
  [instant, { format: 'date-time' }],
  [increase, { maximum: 2 }],
  // 30 days as days, hours and minutes.
  [
    watchTime,
    {
      pattern:
        '^(([1-9]|[12][0-9]|30)d|([1-9][0-9]?|[1-6][0-9]{2}|7[01][0-9]|720)h|([1-9][0-9]{0,3}|[1-3][0-9]{4}|4[0-2][0-9]{3}|43[01][0-9]{2}|43200)m)$',
    },
  ],
  [calendarDay, { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }],
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
