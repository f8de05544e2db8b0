import { DAY_MS, MINUTE_MS } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'

/** Most buckets a series is meant to have: about as many as a chart has room for. */
const MOST_BUCKETS = 96

const WIDTHS_MINUTES = [1, 2, 5, 10, 30, 60, 120, 180, 360, 720, 1440]

/**
 * Width of the buckets that a window is cut into, whole minutes: below an hour it divides one, from an hour on it
 * is whole hours, past a day whole days. Buckets are counted from the epoch, so that they stay where they are as the
 * window moves.
 */
export function bucketMinutes({ since, until }: Window): number {
  const span = until - Math.max(0, since)
  const fitting = WIDTHS_MINUTES.find(minutes => span <= minutes * MINUTE_MS * MOST_BUCKETS)
  return fitting ?? 1440 * Math.ceil(span / MOST_BUCKETS / DAY_MS)
}
