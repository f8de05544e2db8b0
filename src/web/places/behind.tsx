import type { AggregateSource } from '../../features/aggregates/models.ts'
import { Note } from '../ui/note.tsx'
import { Time, Words } from '../ui/text.tsx'
import { get, useRead } from '../query.ts'

/** A source of aggregates that is behind by more holds up promotions. */
const MOST_BEHIND_MS = 600_000

/** Says which sources of aggregates hold up promotions. */
export function Behind() {
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
