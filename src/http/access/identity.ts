import type { Caller } from './caller.ts'

/**
 * Who a JSON Web Token says its bearer is, and what that is good for; undefined where it is of no issuer that is
 * trusted. Throws 401 for one that does not hold, and 503 where the issuer's keys can't be had.
 */
export type Identify = (token: string, now: number) => Promise<Caller | undefined>

/** Longest token that is looked at, characters. */
const MOST_CHARS = 16_384

/** Whether a text means to be a signed JSON Web Token. */
export function isJwt(text: string): boolean {
  return text.length <= MOST_CHARS && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)
}
