import { HOUR_MS } from '../../base/time.ts'
import { PART_ROLLUP } from '../../ledger/events/parts.ts'
import { KEPT_FROM } from '../../ledger/events/matching_runs.ts'
import { RUN_SUMS } from '../../ledger/events/rollup_sql.ts'
import { columnRows, eitherText } from '../../sql/dialect.ts'
import { type Statement, raw, sql } from '../../sql/port.ts'
import { MOST_SEGMENTS, REST, type SegmentKind } from './rules_segments.ts'

/** What is summed by segment: runs, or what they used in addition to their own models. */
export const SEGMENT_SOURCES = ['runs', 'parts'] as const
export type SegmentSource = (typeof SEGMENT_SOURCES)[number]

/** The rollup of a source by the segments of a kind. */
export function segmentTable(kind: SegmentKind, of: SegmentSource): string {
  return of === 'runs' ? `rollup_${kind}_hours` : `rollup_part_${kind}_hours`
}

export const SEGMENT_KEY = ['scope', 'bucket', 'segment', 'variant'] as const

const SUMS = { runs: RUN_SUMS, parts: PART_ROLLUP } as const

/** Where rows of a source are, and the column that names their event. */
export const SEGMENT_ROWS = { runs: 'run_events', parts: 'run_parts' } as const
export const EVENT_OF = { runs: 'seq', parts: 'event' } as const

/** The numbers of the events that some rows of segments_unsummed list, as a FROM clause that calls them `listed.value`. */
export function listedSeqs(rows: Statement): Statement {
  return sql`(SELECT CAST(seq.value AS BIGINT) AS value FROM (${rows}) AS u
    CROSS JOIN ${columnRows(raw('u.seqs'), 'seq')}) AS listed`
}

/** Few runs have parts: a list of which none has any is passed over at once. */
const HAS_ROWS = {
  runs: 'true',
  parts: 'EXISTS (SELECT 1 FROM run_parts p WHERE p.event >= u.first_seq AND p.event <= u.last_seq)',
} as const

/**
 * The rows of a source that belong to events which are listed in segments_unsummed, `u`, by rows of some condition, and
 * whose sums are kept: the rest of a FROM clause.
 */
export function listedRows(of: SegmentSource, which: Statement, condition = sql`true`): Statement {
  const lists = sql`SELECT u.seqs FROM segments_unsummed u WHERE ${which} AND ${raw(HAS_ROWS[of])}`
  return sql`(SELECT e.* FROM ${listedSeqs(lists)} CROSS JOIN ${raw(SEGMENT_ROWS[of])} e
    WHERE e.${raw(EVENT_OF[of])} = listed.value AND e.ts >= ${KEPT_FROM} AND ${condition}) AS unsummed`
}

/** How many events a row of segments_unsummed, `u`, lists: on SQLite they came one behind the other. */
export const LISTED = eitherText('u.last_seq - u.first_seq + 1', 'jsonb_array_length(CAST(u.seqs AS JSONB))')

/** The columns of sums of a source. */
export function segmentSums(of: SegmentSource): readonly string[] {
  return SUMS[of].map(([column]) => column)
}

/** The segment of a name that will get an id when its events are summed, as long as it has none. */
export const NOT_NAMED = -1

/**
 * What becomes of names without an id: they share a segment for good. In a place that has room for more, it shows that they
 * have none yet, or they are refused, as NULL.
 */
export type Unnamed = 'are_rest' | 'are_listed' | 'are_refused'

/**
 * {@link SEGMENT_KEY} and the sums of the rows of a source that `from` (a FROM clause's rest) names, each once.
 */
export function segmentSelect(
  kind: SegmentKind,
  of: SegmentSource,
  from: Statement,
  unnamed: Unnamed = 'are_rest',
): Statement {
  const sums = segmentSums(of).map(column => `sum(${column}) AS ${column}`)
  return sql`SELECT ${raw([...SEGMENT_KEY, ...sums].join(', '))}
    FROM (${segmentRows(kind, of, from, { unnamed })}) AS named GROUP BY 1, 2, 3, 4`
}

interface RowsOptions {
  readonly unnamed: Unnamed
  /** What of the time of a row `ts` the sums are by, an expression: its hour unless given. */
  readonly bucket?: Statement
  /** The sums that are taken; all unless given. */
  readonly only?: readonly string[]
}

/**
 * The same, but names that share a segment have rows of their own. Rows are summed by name before their names are looked
 * up, and the names of a place are counted once: there are few of both.
 */
export function segmentRows(
  kind: SegmentKind,
  of: SegmentSource,
  from: Statement,
  { unnamed, bucket = sql`ts / ${raw(String(HOUR_MS))}`, only = segmentSums(of) }: RowsOptions,
): Statement {
  const name = `${kind}_id`
  const here = (place: string) =>
    `t.agent_id = ${place}.agent_id AND t.environment = ${place}.environment AND t.kind = '${kind}'`
  const count = unnamed === 'are_rest' ? '0' : `(SELECT count(*) FROM segments t WHERE ${here('o')})`
  const early = unnamed === 'are_listed' ? NOT_NAMED : 'NULL'
  const rest =
    unnamed === 'are_rest' ? REST : `CASE WHEN p.known >= ${MOST_SEGMENTS} THEN ${REST} ELSE ${early} END`
  const segment = `coalesce((SELECT t.id FROM segments t WHERE ${here('p')} AND t.name = n.${name}), ${rest})`
  const sums = SUMS[of].flatMap(([column, sum]) => (only.includes(column) ? `${sum} AS ${column}` : []))
  return sql`WITH n AS MATERIALIZED (
      SELECT scope, ${bucket} AS bucket, variant, ${raw([name, ...sums].join(', '))} FROM ${from} GROUP BY 1, 2, 3, 4
    ), o AS MATERIALIZED (
      SELECT d.scope, d.variant, v.agent_id, s.environment FROM (SELECT DISTINCT scope, variant FROM n) AS d
      LEFT JOIN scopes s ON s.id = d.scope LEFT JOIN variants v ON v.id = d.variant
    ), p AS MATERIALIZED (SELECT o.*, ${raw(count)} AS known FROM o)
    SELECT n.scope, n.bucket, ${raw(segment)} AS segment, n.variant, ${raw(only.map(column => `n.${column}`).join(', '))}
    FROM n JOIN p ON p.scope = n.scope AND p.variant = n.variant`
}
