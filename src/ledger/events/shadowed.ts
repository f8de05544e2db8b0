import { isWholeText, restOf } from '../../rules/event_rest.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { type Row, type Sql, type Statement, rowsOf, sql } from '../../sql/port.ts'
import { COLUMNS, type EventRow } from './ingest_sql.ts'

/** An event that was skipped because another one is stored under its run_id, and the release that one counts for. */
export interface Shadowed {
  readonly run_id: string
  readonly release_id: string
}

/** Of rows that were just written or skipped, those that are stored with other content. */
export async function shadowedRows(db: Sql, rows: readonly EventRow[]): Promise<Shadowed[]> {
  const given = new Map(rows.map(row => [row[0], row]))
  const stored = await rowsOf(db, storedStatement(db.dialect, [...given.keys()]))
  return stored
    .filter(row => !holds(row, given.get(String(row.run_id))!))
    .map(({ run_id, release_id }) => ({ run_id: String(run_id), release_id: String(release_id) }))
}

function holds(stored: Row, given: EventRow): boolean {
  return COLUMNS.every((column, index) => {
    const value = stored[column]!
    const isWhole = column === 'event_json' && isWholeText(String(value))
    return given[index] === (isWhole ? restOf(JSON.parse(String(value)) as StoredEvent) : value)
  })
}

function storedStatement(dialect: Sql['dialect'], runIds: readonly string[]): Statement {
  const ids = JSON.stringify(runIds)
  const given =
    dialect === 'postgres'
      ? sql`jsonb_array_elements_text(CAST(CAST(${ids} AS TEXT) AS JSONB)) AS given(value)`
      : sql`json_each(${ids}) AS given`
  return sql`SELECT e.*, s.release_id FROM ${given}
    JOIN run_events e ON e.run_id = given.value JOIN scopes s ON s.id = e.scope`
}

/** Most run_ids that a sentence names. */
const MOST_NAMED = 5

/** What to say of them: a sentence, or nothing. Whose release it is, only who may read is told. */
export function shadowedText(
  shadowed: readonly Shadowed[],
  { withReleases = true }: { readonly withReleases?: boolean } = {},
): string[] {
  if (shadowed.length === 0) return []
  const named = shadowed
    .slice(0, MOST_NAMED)
    .map(
      ({ run_id, release_id }) =>
        JSON.stringify(run_id.slice(0, 80)) + (withReleases ? ` (release ${release_id.slice(0, 80)})` : ''),
    )
  const more = shadowed.length > MOST_NAMED ? ` and ${shadowed.length - MOST_NAMED} more` : ''
  const whose = shadowed.length === 1 ? 'event was' : 'events were'
  return [
    `${shadowed.length} ${whose} skipped whose run_id is stored with other content: ${named.join(', ')}${more}; ` +
      'send a corrected event under a run_id of its own',
  ]
}
