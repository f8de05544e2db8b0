import { MINUTE_MS } from '../../base/time.ts'

/** The states of a watch. All but watching are final, but for regressed while a blocked rollback is tried again. */
export const WATCH_STATES = [
  'watching',
  'passed',
  'regressed',
  'inconclusive',
  'rolled_back',
  'superseded',
] as const

/** Most attempts of a watch to roll back: each may be an action on record, and reasons can come and go. */
export const MOST_ATTEMPTS = 16

/** The cause of what is announced of a rollback that was blocked, at its nth attempt. */
export function blockedCause(watchId: string, nth = 1): string {
  return watchId.replace(/^wch_/, `wrb${nth === 1 ? '' : nth}_`)
}

/** The rollback of a watch that was blocked and is tried again. Times are epoch ms, by the database's clock. */
export interface Retry {
  /** When it was blocked first. */
  readonly blocked_at: number
  /** When it is tried again whatever blocks it; null after the last of these times. */
  readonly next_at: number | null
  /** Attempts up to now, the first one among them. */
  readonly attempts: number
  /** What blocked them, as {@link blockOf} has it. */
  readonly blocks: readonly string[]
}

/** When a blocked rollback is tried again, after it was blocked first. */
const RETRY_AFTER_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS] as const

/** What blocks a rollback, without the figures, which change with every run. */
export function blockOf(reasons: readonly string[]): string {
  return reasons
    .map(reason => reason.replaceAll(/\([^)]*\)|\[[^\]]*\]|[-+]?\d[\d.]*/g, '').replaceAll(/\s+/g, ' '))
    .join('; ')
    .slice(0, 2000)
}

/** Whether to try again now: it is time, nothing blocks it any more, or what blocks it blocked none of its attempts. */
export function isRetryDue(
  { blocked_at, next_at, attempts, blocks }: Retry,
  block: string | null,
  now: number,
): boolean {
  if (block === null) return true
  if (attempts >= MOST_ATTEMPTS) return false
  // A clock that was set back would put the times off.
  const isTime = next_at !== null && (now >= next_at || now < blocked_at)
  return isTime || !blocks.includes(block)
}

/** The retries of a rollback after an attempt that `block` blocked; `before` is null at the first one. */
export function afterBlock(before: Retry | null, block: string, now: number): Retry {
  const { blocked_at = now, attempts = 0, blocks = [] } = before ?? {}
  const since = Math.min(blocked_at, now)
  return {
    blocked_at: since,
    next_at: RETRY_AFTER_MS.map(ms => since + ms).find(at => at > now) ?? null,
    attempts: attempts + 1,
    blocks: [...new Set([...blocks, block])],
  }
}

/** How long after it was blocked first a rollback is tried again at least: its last time, and a few checks more. */
const TRIED_MS = RETRY_AFTER_MS.at(-1)! + 5 * MINUTE_MS

/** Whether it is given up: the watch is over, and so are the times to try it again; or it was tried too often. */
export function isGivenUp({ blocked_at, attempts }: Retry, now: number, endsAt: number): boolean {
  return attempts >= MOST_ATTEMPTS || now >= Math.max(endsAt, blocked_at + TRIED_MS)
}
