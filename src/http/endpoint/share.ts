import { ServiceError } from '../../base/errors.ts'
import type { Shares } from '../../base/shares.ts'

/** How long a request waits for its share of something, ms. */
const LONGEST_WAIT_MS = 10_000

/**
 * Waits for a share and returns what gives it back. Throws 503, with `why`, where it doesn't come within ten seconds.
 */
export async function shareOf(
  shares: Shares,
  amount: number,
  now: () => number,
  why: string,
): Promise<() => void> {
  const turn = Promise.withResolvers<() => void>()
  const leave = shares.take(amount, now, turn.resolve)
  const timer = setTimeout(() => {
    leave()
    turn.reject(tooMuch(why))
  }, LONGEST_WAIT_MS)
  try {
    return await turn.promise
  } finally {
    clearTimeout(timer)
  }
}

/** 503 for what there is too much of at once. */
export function tooMuch(why: string): ServiceError {
  return new ServiceError(503, `${why}; try again.`, { headers: { 'Retry-After': '5' } })
}
