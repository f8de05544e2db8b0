import { useEffect, useState } from 'preact/hooks'
import type { BoardEntry } from '../../models/answers/board.ts'
import type { StaleBaseline } from '../../models/answers/decision.ts'
import { ApiError } from '../api.ts'
import { Note } from '../ui/note.tsx'
import { Time, Words } from '../ui/text.tsx'
import { useBoard } from '../reads.ts'
import { Button } from '../ui/button.tsx'

/** What is live in a place; null where nothing is. */
export type Live = Pick<
  NonNullable<BoardEntry['promoted']>,
  'release_id' | 'version' | 'promoted_at' | 'promoted_by'
> | null

/**
 * What was live when the reader began to look, until they review again: a decision is sent for what was looked at, also
 * when the board has moved on. `live` is undefined until the board is read; `instead` is what came live since.
 */
export function useReviewed(
  agent: string,
  environment: string,
): { live: Live | undefined; instead: Live | undefined; review: (live: Live) => void } {
  const board = useBoard().data?.board
  const place = board?.find(entry => entry.agent_id === agent && entry.environment === environment)
  const now = board && (place?.promoted ?? null)
  const [reviewed, review] = useState<Live | undefined>(now)
  useEffect(() => {
    if (reviewed === undefined) review(now)
  }, [now])
  const live = reviewed === undefined ? now : reviewed
  const hasMoved = now !== undefined && now?.release_id !== live?.release_id
  return { live, instead: hasMoved ? now : undefined, review }
}

/** What a decision says of what it replaces. */
export function expecting(live: Live): { expected_baseline_release_id: string | null } {
  return { expected_baseline_release_id: live?.release_id ?? null }
}

/** What is live instead, where a decision was refused because of that. */
export function liveInstead(error: unknown): Live | undefined {
  if (!(error instanceof ApiError) || error.status !== 412) return undefined
  const detail = (error.body as Partial<StaleBaseline> | undefined)?.detail
  if (detail === undefined) return undefined
  const { live } = detail
  return live && { ...live, promoted_at: live.created_at, promoted_by: live.actor }
}

/** Says that something else is live than what was looked at, and what to do: review it, or request again what can't be. */
export function LiveInstead({
  live,
  onReview,
}: {
  live: Live | undefined
  onReview: ((live: Live) => void) | undefined
}) {
  if (live === undefined) return null
  return (
    <Note tone="bad">
      {live === null ? (
        'Nothing is live now'
      ) : (
        <>
          Live is now <Words>{live.version}</Words> (<Words>{live.promoted_by}</Words>
          {live.promoted_at !== null && (
            <>
              , <Time at={live.promoted_at} fine />
            </>
          )}
          )
        </>
      )}
      {onReview === undefined ? (
        '. The request expects another release to be live: reject it and request the promotion again.'
      ) : (
        <>
          . What you see here compares with another release.{' '}
          <Button kind="small" onClick={() => onReview(live)}>
            Review again
          </Button>
        </>
      )}
    </Note>
  )
}
