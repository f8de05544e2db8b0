import type { AggregateSource } from '../models.ts'
import { Note } from '../../../web/components/note.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { MOVING_MS, get, useRead } from '../../../web/query.ts'

export const aggregates: PageFeature = { panels: { board: Behind }, beats: [[/^v1\/aggregates/, MOVING_MS]] }

/** A source of aggregates that is behind by more holds up promotions. */
const MOST_BEHIND_MS = 600_000

function Behind() {
  const sources =
    useRead<{ sources: AggregateSource[] }>(get('v1/aggregates/sources'), 60_000).data?.sources ?? []
  const behind = sources.filter(
    ({ covered_until }) => covered_until !== null && Date.now() - Date.parse(covered_until) > MOST_BEHIND_MS,
  )
  if (behind.length === 0) return null
  return (
    <Note>
      {behind.map(({ source, covered_until }) => (
        <div key={source}>
          The aggregates of <Words>{source}</Words> reach to <Time at={covered_until!} />.
        </div>
      ))}
    </Note>
  )
}
