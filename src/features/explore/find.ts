import type { FoundRuns } from './models.ts'
import { isoTime } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Row, type Statement, raw, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, asText, columns, inTurn } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { readWindowQuery } from '../../ledger/world/query.ts'
import { PLACED_COLUMNS, toPlacedText } from '../../ledger/events/event_texts.ts'
import { type Scope, inScope } from '../../ledger/world/scope.ts'
import { hoursOf } from '../../ledger/events/rollups.ts'
import { placesOf, spanOf, within } from '../../ledger/events/matching.ts'

export interface FindQuery {
  /** A run, trace, session or span id, whole. */
  readonly id: string
  readonly window: string
  readonly limit: number
  /** Whose runs may be shown. */
  readonly scope: Scope
}

type MatchedBy = FoundRuns['runs'][number]['matched_by']

/** What was found; of each run the JSON text of its event. */
export interface FoundPage {
  readonly page: Omit<FoundRuns, 'runs'>
  readonly runs: readonly { readonly matched_by: MatchedBy; readonly event: string }[]
}

const TRACED = ['trace', 'session', 'span'] as const

/**
 * Runs of any release by an identifier of theirs: a run whenever it was, those of a trace, session or span within the
 * window, newest first. Each is read by its index.
 */
export async function findRuns(ledger: Ledger, query: FindQuery): Promise<FoundPage> {
  const { window, refuseWindow } = readWindowQuery(ledger, query)
  refuseWindow()
  const most = query.limit + 1
  const allowed = inScope(query.scope, { agent: sql`v.agent_id`, environment: sql`s.environment` })
  const byRun = sql`SELECT ${PLACED} FROM run_events e ${JOINED} WHERE e.run_id = ${query.id} AND ${allowed}`
  const traced = TRACED.map(name =>
    allRows(tracedStatement(name, query.id, window, most, allowed), toFound(name)),
  )
  const found = await ask(ledger.sql, inTurn([allRows(byRun, toFound('run')), ...traced]))
  const seen = new Set<string>()
  const rows = found
    .flat()
    .filter(({ run_id }) => !seen.has(run_id) && seen.add(run_id))
    .sort((a, b) => b.ts - a.ts || b.seq - a.seq)
  return {
    page: {
      id: query.id,
      since: isoTime(window.since),
      until: isoTime(window.until),
      truncated: rows.length > query.limit,
    },
    runs: rows.slice(0, query.limit).map(({ matched_by, event }) => ({ matched_by, event })),
  }
}

const PLACED = sql`${PLACED_COLUMNS}, e.seq`
const readPlace = columns({ run_id: asText, ts: asNumber, seq: asNumber })

function toFound(matched_by: MatchedBy) {
  return (row: Row) => ({ matched_by, event: toPlacedText(row), ...readPlace(row) })
}

const JOINED = sql`JOIN variants v ON v.id = e.variant JOIN scopes s ON s.id = e.scope`

/** Of any release, by the places where anything ran. */
function tracedStatement(
  name: string,
  id: string,
  window: Window,
  limit: number,
  allowed: Statement,
): Statement {
  const spans = [spanOf(window)]
  const hours = sql`SELECT DISTINCT bucket FROM rollup_hours WHERE ${hoursOf(window)}`
  const { source, holds } = placesOf(spans, hours)
  return sql`SELECT ${PLACED} FROM ${source} ${JOINED}
    WHERE ${holds} AND e.${raw(`${name}_id`)} = ${id} AND ${within(spans)} AND ${allowed}
    ORDER BY e.ts DESC, e.seq DESC LIMIT ${limit}`
}
