import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { RetirementList, RetiringRelease } from '../models.ts'
import { Badge } from '../../../web/components/badge.tsx'
import type { Concern, PageFeature } from '../../../web/components/panels.tsx'
import { Words } from '../../../web/components/text.tsx'
import { counted } from '../../../web/format.ts'
import { type Known, LOGGED_MS, get, useRead } from '../../../web/query.ts'

export const retirements: PageFeature = {
  panels: { cell: Retiring },
  beats: [[/^v1\/retirements/, LOGGED_MS]],
  useConcerns,
}

/** Live releases whose models a provider retires within 90 days. It hardly changes. */
const useRetirements = (): Known<RetirementList> => useRead<RetirementList>(get('v1/retirements'), 120_000)

function useConcerns(): readonly Concern[] {
  const live = useRetirements().data?.live
  return useMemo(
    () => [
      {
        harm: 'retiring' as const,
        words: 'a live model ends soon',
        has: (entry: BoardEntry) => retiringIn(entry, live ?? []).length > 0,
        chip: Retiring,
      },
    ],
    [live],
  )
}

/** Models of the live release that a provider retires soon, the first to end first. */
function retiringIn(
  { agent_id, environment, promoted }: BoardEntry,
  live: readonly RetiringRelease[],
): readonly RetiringRelease[] {
  return live.filter(
    one =>
      one.agent_id === agent_id && one.environment === environment && one.release_id === promoted?.release_id,
  )
}

/** Days before its end at which a model is no longer only worth a warning. */
const URGENT_DAYS = 7

function Retiring({ entry }: { entry: BoardEntry }) {
  const live = useRetirements().data?.live ?? []
  return (
    <>
      {retiringIn(entry, live).map(({ provider, model, role, retires_on, days_left, source }) => (
        <span key={`${provider} ${model}`} title={`${provider} / ${model} until ${retires_on}: ${source}`}>
          <Badge tone={days_left <= URGENT_DAYS ? 'bad' : 'warn'}>
            <Words>{model}</Words> {role === 'fallback' && '(fallback) '}
            {days_left < 0
              ? `ended on ${retires_on}`
              : days_left === 0
                ? 'ends today'
                : `ends in ${counted(days_left, 'day')}`}
          </Badge>
        </span>
      ))}
    </>
  )
}
