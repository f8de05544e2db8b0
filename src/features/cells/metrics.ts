import { type Family, gauges } from '../../ledger/world/tally.ts'
import type { Sql } from '../../sql/port.ts'
import { ask } from '../../sql/query.ts'
import { reached } from './check.ts'

/** Most sources that have a series of their own: labels are bounded. */
const MOST_NAMED = 20

/** How long ago each source was complete, those that are behind most first. */
export async function families({ sql: db }: { readonly sql: Sql }): Promise<readonly Family[]> {
  const sources = (await ask(db, reached(db))).flatMap(({ source, covered_to, now }) =>
    covered_to === null ? [] : [[{ source }, (now - covered_to) / 1000] as const],
  )
  if (sources.length === 0) return []
  const behind = sources.toSorted(([, a], [, b]) => b - a).slice(0, MOST_NAMED)
  const help = 'How long ago the cells of a source were complete, seconds; at most 20 of them.'
  return [gauges('service_cells_behind_seconds', help, behind)]
}
