import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import { Badge } from '../../../web/components/badge.tsx'
import type { Concern, PageFeature } from '../../../web/components/panels.tsx'
import { type Known, LOGGED_MS, get, useRead } from '../../../web/query.ts'
import type { LivePlace, LivePlaces } from '../models.ts'

export const live: PageFeature = {
  panels: { cell: BrokenLimits },
  beats: [[/^v1\/live/, LOGGED_MS]],
  useConcerns,
}

/** Live releases, checked by their newest runs, once a minute. */
const useLive = (): Known<LivePlaces> => useRead<LivePlaces>(get('v1/live', { limit: 200 }), 60_000)

function useConcerns(): readonly Concern[] {
  const places = useLive().data?.live
  return useMemo(
    () => [
      {
        harm: 'regresses' as const,
        words: 'live runs break a limit',
        has: (entry: BoardEntry) => brokenIn(entry, places ?? []).length > 0,
        chip: BrokenLimits,
      },
    ],
    [places],
  )
}

function brokenIn(
  { agent_id, environment, promoted }: BoardEntry,
  places: readonly LivePlace[],
): LivePlace['broken'] {
  const found = places.find(
    place =>
      place.agent_id === agent_id &&
      place.environment === environment &&
      place.release_id === promoted?.release_id,
  )
  return found?.broken ?? []
}

function BrokenLimits({ entry }: { entry: BoardEntry }) {
  const places = useLive().data?.live ?? []
  return (
    <>
      {brokenIn(entry, places).map(({ limit_key, text }) => (
        <span key={limit_key} title={text}>
          <Badge tone="bad">live runs break {limit_key}</Badge>
        </span>
      ))}
    </>
  )
}
