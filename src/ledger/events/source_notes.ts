import { DAY_MS, HOUR_MS } from '../../base/time.ts'
import type { Window } from '../../rules/window.ts'
import { type Sql, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import {
  type Query,
  allRows,
  asFlag,
  asNumber,
  asText,
  columns,
  mapped,
  together,
  unread,
  write,
} from '../../sql/query.ts'
import { addToCounter } from '../trail/counters.ts'
import type { Ledger } from '../world/ledger.ts'
import { keepLatest, remembering } from '../world/memo.ts'

/**
 * `unread`: a number that speaks of tokens or cost isn't read. `not understood`: a process names its release, and none of its
 * spans is a call. `not registered`: the release of runs isn't known. `repeated`: calls are traced twice. `dropped`: recorders
 * had to leave runs out.
 */
export const NOTE_KINDS = ['unread', 'not understood', 'not registered', 'repeated', 'dropped'] as const

/** What a source sends that isn't counted. */
export interface SourceNote {
  readonly kind: (typeof NOTE_KINDS)[number]
  readonly text: string
  readonly release_id?: string
  readonly environment?: string
  /** How many runs were dropped. */
  readonly runs?: number
}

/** How long a note is wrong unless it comes again: it comes once an hour. */
const CURRENT_MS = 2 * HOUR_MS
/** How long the hours of dropped runs are kept, and most notes of all kinds. */
const KEPT_MS = 90 * DAY_MS
const MOST_NOTES = 5000

/** When each note was written last, epoch ms. */
const notedAt = remembering(() => new Map<string, number>())

/** Writes notes down, each once an hour, and returns those to say now; dropped runs are all counted, and never said. */
export async function noteSources(
  { sql: db, memo, now }: Pick<Ledger, 'sql' | 'memo' | 'now'>,
  notes: readonly SourceNote[],
): Promise<SourceNote[]> {
  const written = notedAt(memo)
  const fresh = new Map<string, SourceNote>()
  for (const note of notes) {
    const key = keyOf(note)
    if (note.kind !== 'dropped' && now() < (written.get(key) ?? 0) + HOUR_MS) continue
    fresh.set(key, { ...note, runs: (fresh.get(key)?.runs ?? 0) + (note.runs ?? 0) })
  }
  if (fresh.size === 0) return []
  const keys = [...fresh.keys()].sort()
  const rows = keys.map(key => [...(JSON.parse(key) as string[]), fresh.get(key)!.runs])
  const dropped = [...fresh.values()].reduce((sum, { runs = 0 }) => sum + runs, 0)
  const { said } = await write(
    db,
    together({
      said: allRows(
        sql`INSERT INTO source_notes (kind, release_id, environment, hour, text, count, first_at, last_at, said_at)
          SELECT g.value ->> 0, g.value ->> 1, g.value ->> 2,
            CASE WHEN g.value ->> 0 = 'dropped' THEN t.now / ${raw(String(HOUR_MS))} ELSE 0 END,
            g.value ->> 3, CAST(g.value ->> 4 AS BIGINT), t.now, t.now, t.now
          FROM ${jsonRows(rows)} CROSS JOIN (SELECT ${db.clock} AS now) t
          WHERE g.value ->> 0 <> 'not understood'
            OR NOT EXISTS (SELECT 1 FROM scopes s WHERE s.release_id = g.value ->> 1)
          ON CONFLICT (kind, release_id, environment, hour, text) DO UPDATE SET
            count = source_notes.count + excluded.count, last_at = excluded.last_at,
            said_at = CASE WHEN source_notes.said_at <= excluded.last_at - ${HOUR_MS}
              THEN excluded.last_at ELSE source_notes.said_at END
          RETURNING kind, release_id, environment, text, CASE WHEN said_at = last_at THEN 1 ELSE 0 END AS is_due`,
        readNote,
      ),
      rest: unread([
        sql`DELETE FROM source_notes WHERE last_at < ${db.clock} - ${KEPT_MS} OR last_at <= coalesce(
          (SELECT n.last_at FROM source_notes n ORDER BY n.last_at DESC LIMIT 1 OFFSET ${MOST_NOTES}), 0)`,
        ...(dropped === 0 ? [] : [addToCounter('runs_dropped', dropped)]),
      ]),
    }),
  )
  for (const key of keys) keepLatest(written, key, now())
  return said.filter(({ is_due, kind }) => is_due && kind !== 'dropped')
}

function keyOf({ kind, release_id = '', environment = '', text }: SourceNote): string {
  return JSON.stringify([kind, release_id, environment, text])
}

const readNote = columns({
  kind: asText<SourceNote['kind']>,
  release_id: asText,
  environment: asText,
  text: asText,
  is_due: asFlag,
})

export type CurrentNote = SourceNote & { readonly runs: number }

/** What sources send now that isn't counted, newest first. A process is understood once a run of its release is stored. */
export function currentNotes(db: Pick<Sql, 'clock'>): Query<CurrentNote[]> {
  return allRows(
    sql`SELECT n.kind, n.release_id, n.environment, n.text, sum(n.count) AS runs FROM source_notes n
      WHERE n.last_at > ${db.clock} - ${CURRENT_MS} AND (n.kind <> 'not understood'
        OR NOT EXISTS (SELECT 1 FROM scopes s WHERE s.release_id = n.release_id))
      GROUP BY n.kind, n.release_id, n.environment, n.text ORDER BY max(n.last_at) DESC, n.text`,
    columns({
      kind: asText<SourceNote['kind']>,
      release_id: asText,
      environment: asText,
      text: asText,
      runs: asNumber,
    }),
  )
}

/** How many runs of releases recorders dropped in a window, to the hour. */
export function droppedRuns(
  releaseIds: readonly string[],
  environment: string,
  { since, until }: Window,
): Query<ReadonlyMap<string, number>> {
  const [first = '', second = first] = releaseIds
  return mapped(
    allRows(
      sql`SELECT release_id, sum(count) AS runs FROM source_notes
        WHERE kind = 'dropped' AND release_id IN (${first}, ${second}) AND environment = ${environment}
          AND hour BETWEEN ${Math.floor(since / HOUR_MS)} AND ${Math.floor(until / HOUR_MS)}
        GROUP BY release_id`,
      columns({ release_id: asText, runs: asNumber }),
    ),
    rows => new Map(rows.map(({ release_id, runs }) => [release_id, runs])),
  )
}
