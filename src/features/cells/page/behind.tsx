import type { CellSource } from '../models.ts'
import { Note } from '../../../web/components/note.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { MOVING_MS, get, useRead } from '../../../web/query.ts'

export const cells: PageFeature = { panels: { board: Behind }, beats: [[/^v1\/cells/, MOVING_MS]] }

/** A source of cells that is behind by more holds up promotions. */
const MOST_BEHIND_MS = 600_000

function Behind() {
  const sources = useRead<{ sources: CellSource[] }>(get('v1/cells/sources'), 60_000).data?.sources ?? []
  const behind = sources.filter(
    ({ covered_until }) => covered_until !== null && Date.now() - Date.parse(covered_until) > MOST_BEHIND_MS,
  )
  if (behind.length === 0) return null
  return (
    <Note>
      {behind.map(({ source, covered_until }) => (
        <div key={source}>
          The cells of <Words>{source}</Words> reach to <Time at={covered_until!} />.
        </div>
      ))}
    </Note>
  )
}
