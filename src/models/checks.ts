import { parseRate } from '../base/shares.ts'
import { DATABASE_URL, DATABASE_URLS, fitsBytes, isDisguised } from '../base/text.ts'
import { DAY_MS, durationMs, parseDateOrTimestamp, parseTimestamp } from '../base/time.ts'

/** What is wrong with a value, and where. */
export interface Problem {
  readonly path: readonly (string | number)[]
  /** Without the path, e.g. `must be an integer (was 1.5)`. */
  readonly message: string
  /** A short name of the kind of problem, stable across releases. */
  readonly type: string
}

/** The message of a field that a model hasn't. */
export const UNKNOWN_FIELD = 'is not a known field'

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** A path as people write it: `usage.tools[0].tool_name`. */
export function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? key : `${text}.${key}`),
    '',
  )
}

/** All problems as one sentence, the first few of them, each as `amend` makes it. */
export function problemsText(
  problems: readonly Problem[],
  subject = '',
  amend = (problem: Problem): Problem => problem,
): string {
  const texts = problems.slice(0, 3).map(problem => {
    const { path, message } = amend(problem)
    const where = pathText(path)
    return `${where === '' ? subject : where} ${message}`.trim()
  })
  const more = problems.length - texts.length
  return more > 0 ? `${texts.join('; ')}; and ${more} more` : texts.join('; ')
}

/** Why a check refuses a value; `path` leads to the part of it that is not. */
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
export const listedOnce: Check<{
  readonly entries: readonly { readonly model: string; readonly aliases?: readonly string[] | null }[]
}> = ({ entries }) => {
  const seen = new Set<string>()
  const named = [
    ...entries.map(({ model }, index) => ({ name: model, path: ['entries', index, 'model'] })),
    ...entries.flatMap(({ aliases }, index) =>
      (aliases ?? []).map((name, at) => ({ name, path: ['entries', index, 'aliases', at] })),
    ),
  ]
  for (const { name, path } of named) {
    if (seen.has(name)) return { path, expected: 'listed once', actual: JSON.stringify(name) }
    seen.add(name)
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
export const scoreNames: Check<Readonly<Record<string, number>>> = scores =>
  namesFault(scores, RUN_SCORE, 'such as faithfulness')

/** A policy also names the scores of evaluations, by suite. */
export const limitedNames: Check<Readonly<Record<string, number>>> = limits =>
  namesFault(limits, LIMITED_SCORE, 'such as faithfulness, or regression/pass_rate of a suite')

const RUN_SCORE = new RegExp(`^${SCORE_NAME}$`)
const LIMITED_SCORE = new RegExp(`^(${SCORE_NAME}/)?${SCORE_NAME}$`)
/** The form of a name of a score, a suite or an engine, in words. */
export const NAMED = `a name of a-z, 0-9, _, . and -, at most ${MOST_NAME_CHARS} long`

function namesFault(
  named: Readonly<Record<string, number>>,
  pattern: RegExp,
  example: string,
): Fault | undefined {
  const names = Object.keys(named)
  if (names.length > MOST_SCORES)
    return { expected: `at most ${MOST_SCORES} scores`, actual: String(names.length) }
  const odd = names.find(
    name => !pattern.test(name) || name.split('/').some(part => part.length > MOST_NAME_CHARS),
  )
  if (odd !== undefined) {
    const path = [odd.slice(0, MOST_NAME_CHARS)]
    return { path, expected: `${NAMED}, ${example}`, actual: quoted(odd) }
  }
  const beyond = Object.entries(named).find(
    ([name, value]) => SHARE.test(name) && !(value >= 0 && value <= 1),
  )
  return beyond && { path: [beyond[0]], expected: AS_A_SHARE, actual: String(beyond[1]) }
}

/** Scores that are shares by definition: of tries that passed, or of claims and passages as RAGAS and DeepEval count them. */
const SHARE =
  /^(.*[./])?(pass_rate|faithfulness|answer_relevancy|context(ual)?_(precision|recall|relevancy))$/
const AS_A_SHARE = 'from 0 to 1, as a share is; a score of another scale needs another name'

interface Identified {
  readonly id?: string | null
  readonly input_sha256?: string | null
  readonly passed?: boolean | null
  readonly scores?: Readonly<Record<string, number>>
}

/** A case is known by its id or its input, and says what came of it; empty scores say that it ended in an error. */
export const caseFits: Check<Identified> = ({ id, input_sha256, passed, scores }) => {
  if ((id == null) === (input_sha256 == null)) {
    const actual = id == null ? 'neither' : 'both'
    return { path: ['id'], expected: 'given, or input_sha256 in its place', actual }
  }
  if (passed != null && scores?.pass_rate !== undefined) {
    return { path: ['scores', 'pass_rate'], expected: 'left out where passed is given', actual: 'set' }
  }
  return passed == null && scores === undefined
    ? { path: ['scores'], expected: 'given, or passed', actual: 'missing' }
    : undefined
}

/** Most suites that a policy names. */
const MOST_SUITES = 50

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

const PROSE_BYTES = 16_384

export const proseBytes: Check<string> = text =>
  fitsBytes(text, PROSE_BYTES)
    ? undefined
    : { expected: `at most ${PROSE_BYTES} bytes long`, actual: `${text.length} characters` }

/** The same of a window and of an address, whose form the operation checks and refuses with a status of its own. */
export const windowBytes: Check<string> = text => proseBytes(text)
export const addressBytes: Check<string> = text => proseBytes(text)

const ACTOR_BYTES = 512

/** Blanks around a name don't count, and invisible characters are refused where it is read. */
export const actorBytes: Check<string> = text =>
  fitsBytes(text, ACTOR_BYTES)
    ? undefined
    : { expected: `at most ${ACTOR_BYTES} bytes long`, actual: `${text.length} characters` }

export const undisguised: Check<string> = text =>
  isDisguised(text)
    ? {
        expected: 'without invisible characters, and without blanks at its beginning and end',
        actual: 'another text',
      }
    : undefined

/**
 * No blanks around it and no invisible characters, as `isDisguised` finds them: Unicode Cc, and Cf of the first plane,
 * and letters that show nothing, written out, because not every reader of JSON Schema knows Unicode's categories. Not
 * described are variation selectors, which are taken where they select anything.
 */
const INVISIBLE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2' +
  '\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'

/** Who asks, in a header or a body: what is left without the blanks around it. Nothing is nobody. */
export const ACTOR_PATTERN = `^\\s*([^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?)?\\s*$`

const KEYWORDS: ReadonlyMap<unknown, Keywords> = new Map<unknown, Keywords>([
  [proseBytes, { maxLength: PROSE_BYTES }],
  [windowBytes, { pattern: '^([1-9][0-9]{0,4}d|[1-9][0-9]{0,6}h|[1-9][0-9]{0,8}m)$' }],
  [addressBytes, { pattern: '^https?://[^\\s\\u0000]+$' }],
  [actorBytes, { pattern: ACTOR_PATTERN, maxLength: ACTOR_BYTES }],
  [undisguised, { pattern: `^[^\\s${INVISIBLE}]([^${INVISIBLE}]*[^\\s${INVISIBLE}])?$` }],
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

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function everyValue(value: Fields, accepts: (item: unknown) => boolean): boolean {
  for (const key of Object.keys(value)) if (!accepts(value[key])) return false
  return true
}
