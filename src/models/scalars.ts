import { type } from 'arktype'
import { fitsBytes } from '../base/text.ts'
import { parseTimestamp } from '../base/time.ts'
import { type Rejecting, formatted } from './formats.ts'

/** Longest identifier, in bytes of UTF-8. */
const MAX_ID_BYTES = 512

const fits = (text: string, ctx: Rejecting): boolean =>
  fitsBytes(text, MAX_ID_BYTES) ||
  ctx.reject({ expected: `at most ${MAX_ID_BYTES} bytes long`, actual: `${text.length} characters` })

/** A name that keys something: 1 to 512 bytes. */
export const Identifier = type(`1 <= string <= ${MAX_ID_BYTES}`).narrow(fits)

/** A value that is filtered by and may be empty: 0 to 512 bytes. */
export const Dimension = type(`string <= ${MAX_ID_BYTES}`).narrow(fits)

/** ISO-8601 date and time, 1970 to 9999; without an offset it is UTC. */
export const Timestamp = type.string.narrow(
  formatted(
    (text, ctx) =>
      parseTimestamp(text) !== undefined ||
      ctx.reject({
        expected: 'an ISO-8601 date and time from 1970 on, such as 2026-01-31T12:00:00Z',
        actual: JSON.stringify(text.slice(0, 60)),
      }),
  ),
)

/** A moment that we say: also one before 1970, at which a window may start. */
export const Instant = type.string.narrow(
  formatted(
    (text, ctx) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ||
      ctx.reject({ expected: 'an ISO-8601 date and time in UTC', actual: JSON.stringify(text.slice(0, 60)) }),
  ),
)

/** The same as Timestamp, or a date alone, as people write it into a file. */
export const DateOrTimestamp = type.string.narrow(
  (text, ctx) =>
    parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text) !== undefined ||
    ctx.reject({
      expected: 'an ISO-8601 date, with or without a time, such as 2026-01-31',
      actual: JSON.stringify(text.slice(0, 60)),
    }),
)

/** Tokens of one run: sums over thousands of the largest are still exact. */
export const TokenCount = type('0 <= number.integer <= 1000000000000')

/** Duration of one run in milliseconds, up to four months. */
export const LatencyMs = type('0 <= number.integer <= 10000000000')

/** A JSON integer from 0 to 2^53 - 1. */
export const Count = type(`0 <= number.integer <= ${Number.MAX_SAFE_INTEGER}`)

const finite = (value: number, ctx: Rejecting): boolean =>
  Number.isFinite(value) || ctx.reject({ expected: 'a finite number', actual: String(value) })

/** A number that JSON can keep: 1e999 is read as infinity, and infinity is written as null. */
export const Finite = type.number.narrow(finite)

/** A finite number from 0 on. */
export const Amount = type('number >= 0').narrow(finite)

/** SHA-256 in lowercase hex, bare. */
export const Checksum = type(/^[0-9a-f]{64}$/)
