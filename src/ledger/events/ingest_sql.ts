import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { eventNumbers } from '../../rules/rollup.ts'
import { arrayOf, jsonRows, jsonTexts } from '../../sql/dialect.ts'
import { type Sql, type Statement, forPostgres, join, raw, sql } from '../../sql/port.ts'
import {
  type Query,
  among,
  asFlag,
  asNumber,
  changesOf,
  columns,
  mapped,
  onlyRow,
  together,
} from '../../sql/query.ts'
import type { Interned } from './interning.ts'
import { type Coming, type PartRow, partClauses, partStatements } from './parts.ts'
import { type ScoreRow, scoreClauses, scoreStatements } from './score_rows.ts'
import { NOTE_BLOCKS } from './blocks.ts'
import { MARK_NEWEST, NEW_EVENTS, rollupAdded, rollupNewest } from './rollup_sql.ts'
import { type Hashed, NONE_HASHED, keyIs } from './erased.ts'
import type { IngestRows } from './ingest_part.ts'

/** The columns of run_events but seq, in order. */
export type EventRow = readonly [
  run_id: string,
  scope: number,
  variant: number,
  ts: number,
  is_end: 0 | 1,
  tenant_id: string,
  task_id: string,
  success: 0 | 1,
  latency_ms: number | null,
  input_tokens: number,
  output_tokens: number,
  cached_input_tokens: number,
  session_id: string | null,
  trace_id: string | null,
  span_id: string | null,
  event_json: string,
]

/** The row of an event. `rest` is what its columns don't hold. */
export function toEventRow(event: StoredEvent, rest: string, scope: number, variant: number): EventRow {
  const numbers = eventNumbers(event)
  return [
    event.run_id,
    scope,
    variant,
    numbers.ts,
    event.type === 'run_end' ? 1 : 0,
    event.tenant_id,
    event.task_id,
    numbers.success,
    numbers.latency_ms,
    numbers.input_tokens,
    numbers.output_tokens,
    numbers.cached_input_tokens,
    event.request?.session_id ?? null,
    event.request?.trace_id ?? null,
    event.request?.span_id ?? null,
    rest,
  ]
}

export const COLUMNS = [
  'run_id',
  'scope',
  'variant',
  'ts',
  'is_end',
  'tenant_id',
  'task_id',
  'success',
  'latency_ms',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'session_id',
  'trace_id',
  'span_id',
  'event_json',
] as const
const COLUMN_LIST = COLUMNS.join(', ')
const TEXT_COLUMNS: ReadonlySet<string> = new Set([
  'run_id',
  'tenant_id',
  'task_id',
  'session_id',
  'trace_id',
  'span_id',
  'event_json',
])

/** What became of a batch of events. */
interface IngestedBatch {
  /** How many events were new; undefined where an id means something else by now, and nothing was written. */
  readonly inserted: number | undefined
  /** Epoch ms: events of an earlier time were not stored, because those of that time may have been pruned. */
  readonly eventsBefore: number
}

/** The moment before which run events may be gone, a scalar subquery. */
const EVENTS_BEFORE = raw('(SELECT events_before FROM retention WHERE id = 1)')

/** What goes into the transaction of a batch besides its events. */
export interface Along {
  /** Statements before the batch. */
  readonly before: readonly Statement[]
  /** A condition without which nothing is written. */
  readonly holds: Statement
  /** Statements after the events; `hold` is the condition on which these are written. */
  readonly after: (hold: Statement) => readonly Statement[]
}

interface What {
  /** In unless it says otherwise. */
  readonly coming?: Coming
  /** The parts of the rows. */
  readonly parts?: readonly PartRow[]
  /** Their scores. */
  readonly scores?: readonly ScoreRow[]
  /** What features keep of them. */
  readonly kept?: readonly IngestRows[]
  /** The hashes of the rows' run_ids: those of erased runs are not stored. */
  readonly erased?: Hashed
  /** What features do with those that come in, `added`: the rest of a FROM clause. */
  readonly further?: (added: Statement) => readonly Statement[]
  /** Stored only where `holds` is true; `note` writes down how many were. */
  readonly counted?: {
    readonly holds: Statement
    readonly note: (count: Statement) => Statement
  }
  /** Whether an event is not stored, because others sum what it counts in; of its scope and time, expressions. */
  readonly isFed?: ((scope: Statement, ts: Statement) => Statement) | undefined
  readonly along?: Along | undefined
}

/** For rows whose ids are known to hold. */
export const NO_IDS: Pick<Interned, 'scopes' | 'variants'> = { scopes: [], variants: [] }

/** One batch: events, their rollups, their count. `ids` are those in `rows`, and what they have to name. */
export function ingestQuery(
  { dialect }: Pick<Sql, 'dialect'>,
  rows: readonly EventRow[],
  ids: Pick<Interned, 'scopes' | 'variants'>,
  what: What = {},
): Query<IngestedBatch> {
  return dialect === 'postgres' ? onPostgres(rows, ids, what) : onSqlite(rows, ids, what)
}

const HAS_TIME: Readonly<Record<Coming, string>> = { in: '>=', back: '<' }

function onSqlite(
  rows: readonly EventRow[],
  ids: Pick<Interned, 'scopes' | 'variants'>,
  {
    coming = 'in',
    parts = [],
    scores = [],
    kept = [],
    erased = NONE_HASHED,
    further = () => [],
    counted,
    isFed,
    along,
  }: What,
): Query<IngestedBatch> {
  const picks = COLUMNS.map((_, index) => `value ->> ${index}`).join(', ')
  const hold = all(along, kept, holds(ids, erased))
  const isHashed = erased.hashes.length > 0
  const given = isHashed ? rows.map((row, index) => [...row, erased.hashes[index]!]) : rows
  const isKept = isHashed
    ? `AND NOT EXISTS (SELECT 1 FROM erased_runs WHERE hash = value ->> ${COLUMNS.length})`
    : ''
  const isHere = alsoIf(isFed && sql`NOT ${isFed(raw(`value ->> ${SCOPE}`), raw(`value ->> ${TS}`))}`)
  // Materialized, because json_each writes the text of a row again at each mention of it.
  const insert = sql`WITH given AS MATERIALIZED (SELECT value FROM json_each(${JSON.stringify(given)}))
      INSERT INTO run_events (${raw(COLUMN_LIST)})
      SELECT ${raw(picks)} FROM given WHERE ${hold}
        AND value ->> ${raw(String(TS))} ${raw(HAS_TIME[coming])} ${EVENTS_BEFORE} ${raw(isKept)} ${alsoIf(counted?.holds)} ${isHere}
      ON CONFLICT (run_id) DO NOTHING`
  const keptToo = kept.map(({ statements }) => statements?.() ?? [])
  const after = [
    ...(counted === undefined ? [] : [counted.note(sql`(SELECT count(*) FROM ${NEW_EVENTS})`)]),
    ...(coming === 'in' ? [...ROLLUP, ...further(NEW_EVENTS)] : []),
    ...partStatements(parts, coming),
    ...scoreStatements(scores, coming),
    ...keptToo.flat(),
    MARK_NEWEST,
    NOTE_BLOCKS,
  ]
  // The mark says what of these is new: before a batch that has some all has to be caught up on.
  const catchesUp =
    coming === 'in' &&
    parts.length + scores.length === 0 &&
    kept.every(({ catchesUp: does }, index) => keptToo[index]!.length === 0 || does)
  const known = onlyRow(
    sql`SELECT CASE WHEN ${hold} THEN 1 ELSE 0 END AS known, ${EVENTS_BEFORE} AS events_before`,
    columns({ known: asFlag, events_before: asNumber }),
  )
  const stored = together({ known, count: changesOf({ ...insert, isFrequent: true }) })
  const rest = after.map(statement => ({ ...statement, catchesUp }))
  return mapped(among([], stored, [...rest, ...(along?.after(hold) ?? [])]), done => ({
    inserted: done.known.known ? done.count : undefined,
    eventsBefore: done.known.events_before,
  }))
}

const ROLLUP = rollupNewest()

function all(along: Along | undefined, kept: readonly IngestRows[], known: Statement): Statement {
  const others = [...kept, ...(along === undefined ? [] : [along])].flatMap(({ holds: own }) => own ?? [])
  return others.length === 0 ? known : sql`(${join([known, ...others], ' AND ')})`
}

function alsoIf(condition: Statement | undefined): Statement {
  return condition === undefined ? sql`` : sql`AND ${condition}`
}

/** Whether the ids and the key are those that the rows and their hashes were made with. */
function holds(ids: Pick<Interned, 'scopes' | 'variants'>, erased: Hashed): Statement {
  return sql`(${idsHold(ids)} AND ${keyIs(erased)})`
}

/** Where the scope and the time are among the columns. */
const SCOPE = COLUMNS.indexOf('scope')
const TS = COLUMNS.indexOf('ts')

/** Whether each id means what it did when it was looked up: a condition. */
export function idsHold({ scopes, variants }: Pick<Interned, 'scopes' | 'variants'>): Statement {
  const matching = (table: string, names: readonly string[], ids: readonly unknown[]): Statement => {
    const same = names.map((column, index) => `${table}.${column} = g.value ->> ${index + 1}`).join(' AND ')
    const id = raw(`${table}.id = CAST(g.value ->> 0 AS BIGINT) AND ${same}`)
    const found = sql`(SELECT count(*) FROM ${jsonRows(ids)} JOIN ${raw(table)} ON ${id})`
    return sql`${found} = ${ids.length}`
  }
  return sql`(${matching('scopes', ['release_id', 'environment'], scopes)}
    AND ${matching('variants', ['agent_id', 'provider', 'model'], variants)})`
}

/**
 * One statement, so that its rows reach the rollups without a mark, which writers at the same time would fight for.
 * Events are numbered as they arrive, but rows and sums are written in order of their keys: two writers that share
 * some can't wait for each other.
 */
function onPostgres(
  rows: readonly EventRow[],
  ids: Pick<Interned, 'scopes' | 'variants'>,
  {
    coming = 'in',
    parts = [],
    scores = [],
    kept = [],
    erased = NONE_HASHED,
    further = () => [],
    counted,
    isFed,
    along,
  }: What,
): Query<IngestedBatch> {
  const arrays = COLUMNS.map((column, index) =>
    arrayOf(
      TEXT_COLUMNS.has(column) ? 'TEXT' : 'BIGINT',
      rows.map(row => row[index]!),
    ),
  )
  const hold = forPostgres(all(along, kept, holds(ids, erased)))
  const isHashed = erased.hashes.length > 0
  const hashed = raw(isHashed ? ', erased_hash' : '')
  const isKept = raw(isHashed ? 'AND NOT EXISTS (SELECT 1 FROM erased_runs WHERE hash = erased_hash)' : '')
  const keptToo = kept.flatMap(({ clauses }) => clauses?.() ?? [])
  // What only these take from the events.
  const more = raw(
    parts.length + scores.length + keptToo.length === 0 ? '' : ', run_id, tenant_id, task_id, is_end',
  )
  const ingest = sql`WITH known AS MATERIALIZED (SELECT ${hold} AS hold, ${EVENTS_BEFORE} AS events_before), given AS (
        SELECT nextval('run_events_seq_seq') AS seq, ${raw(COLUMN_LIST)}${hashed}
        FROM unnest(${join(isHashed ? [...arrays, arrayOf('TEXT', erased.hashes)] : arrays, ', ')})
          AS event (${raw(COLUMN_LIST)}${hashed}) WHERE (SELECT hold FROM known)
      ), added AS (
        INSERT INTO run_events (seq, ${raw(COLUMN_LIST)})
        SELECT seq, ${raw(COLUMN_LIST)} FROM given
        WHERE ts ${raw(HAS_TIME[coming])} (SELECT events_before FROM known) ${isKept} ${alsoIf(counted?.holds)}
          ${alsoIf(isFed && sql`NOT ${isFed(raw('given.scope'), raw('given.ts'))}`)} ORDER BY run_id COLLATE "C", seq
        ON CONFLICT (run_id) DO NOTHING
        RETURNING seq, scope, ts, variant, success, latency_ms, input_tokens, output_tokens, cached_input_tokens${more}
      ) ${coming === 'in' ? rollupAdded(further(raw('added'))) : raw('')} ${partClauses(parts, coming)}
        ${scoreClauses(scores, coming)} ${join(keptToo, ' ')}
        ${counted === undefined ? sql`` : sql`, counted AS (${counted.note(raw('(SELECT count(*) FROM added)'))})`}
      SELECT count(*) AS inserted, (SELECT CASE WHEN hold THEN 1 ELSE 0 END FROM known) AS known,
        (SELECT events_before FROM known) AS events_before FROM added`
  const stored = onlyRow(
    { ...ingest, isFrequent: true },
    columns({ inserted: asNumber, known: asFlag, events_before: asNumber }),
  )
  return mapped(among([], stored, along?.after(hold)), ({ inserted, known, events_before }) => ({
    inserted: known ? inserted : undefined,
    eventsBefore: events_before,
  }))
}

/** Of these run_ids, those that are stored as a run_start. */
export function supersededStatement(runIds: readonly string[]): Statement {
  return sql`SELECT e.run_id FROM ${jsonTexts(runIds)} JOIN run_events e ON e.run_id = given.value WHERE e.is_end = 0`
}
