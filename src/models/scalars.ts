import { type } from 'arktype'
import {
  type Fields,
  type Check,
  by,
  calendarDay,
  dateOrTimestamp,
  finite,
  instant,
  limitedNames,
  nameBytes,
  noArray,
  scoreNames,
  timestamp,
} from './checks.ts'
import { type AnyModel, type ObjectOf, type Said, configured, object } from './model.ts'

/** A text of some form. `words` follow "must be": nobody has to read a regular expression. */
export function ofForm(form: RegExp, words: string) {
  const said: Said = { form: [form, words] }
  return type(form).configure({ expected: words }, { kind: 'pattern' }).configure(said)
}

/** A name that keys something: 1 to 512 bytes. */
export const Identifier = type('1 <= string <= 512').narrow(by(nameBytes))

/** A value that is filtered by and may be empty: 0 to 512 bytes. */
export const Dimension = type('string <= 512').narrow(by(nameBytes))

/** ISO-8601 date and time, 1970 to 9999; without an offset it is UTC. */
export const Timestamp = type.string.narrow(by(timestamp))

/** A moment that we say: also one before 1970, at which a window may start. */
export const Instant = type.string.narrow(by(instant))

/** The same as Timestamp, or a date alone, as people write it into a file. */
export const DateOrTimestamp = type.string.narrow(by(dateOrTimestamp))

export const Day = type.string.narrow(by(calendarDay))

/** Tokens of one run: sums over thousands of the largest are still exact. */
export const TokenCount = type('0 <= number.integer <= 1000000000000')

/** Duration of one run in milliseconds, up to four months. */
export const LatencyMs = type('0 <= number.integer <= 10000000000')

/** A JSON integer from 0 to 2^53 - 1. */
export const Count = type(`0 <= number.integer <= ${Number.MAX_SAFE_INTEGER}`)

/** A figure, or null where there is none. */
export const NumberOrNull = type('number | null')

/** A number that JSON can keep: 1e999 is read as infinity, and infinity is written as null. */
export const Finite = type.number.narrow(by(finite))

/** A finite number from 0 on. */
export const Amount = type('number >= 0').narrow(by(finite))

/** How good a run was by some measure, often 0 to 1. Six decimals count. */
const Score = type('-1000000 <= number <= 1000000')

/** SHA-256 in lowercase hex, bare. */
export const Checksum = ofForm(/^[0-9a-f]{64}$/, 'a SHA-256 as 64 lowercase hex characters')

export const JsonObject = type.object.narrow(by(noArray))

/** A JSON object by its fields, which may depend on one another as checks say. Unlike object(), it refuses arrays. */
export function json<const F extends Fields>(fields: F, ...checks: readonly Check<never>[]): ObjectOf<F> {
  const base = checks.reduce<AnyModel>((model, check) => model.narrow(by(check) as never), JsonObject)
  return configured(base.and(object(fields) as AnyModel), { drops: fields['+'] === 'delete' }) as never
}

export const Scores = JsonObject.and({ '[string]': Score }).narrow(by(scoreNames))

/** Limits on scores, by name or by suite and name. */
export const ScoreLimits = JsonObject.and({ '[string]': Score }).narrow(by(limitedNames))

/** The same where a limit is a distance. */
export const ScoreDrops = JsonObject.and({ '[string]': '0 <= number <= 1000000' }).narrow(by(limitedNames))

export const Identity = object('The person of an identity provider; absent if there is none.', {
  issuer: ['string', 'The identity provider.'],
  subject: ['string', "The person's id there, unique within the issuer."],
})
