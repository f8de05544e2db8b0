import type { Along } from '../../ledger/events/ingest_sql.ts'
import { addToCounter } from '../../ledger/trail/counters.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Span } from '../../spans/span.ts'
import { isCall, reportsTokens } from '../../spans/use.ts'
import { type Sql, type Statement, raw, sql } from '../../sql/port.ts'
import { jsonRows } from '../../sql/dialect.ts'
import { lockNumbers } from '../../sql/server.ts'
import {
  type RowOf,
  allRows,
  among,
  asFlag,
  asNumber,
  asText,
  ask,
  columns,
  onlyRow,
  orNull,
  together,
  unread,
  write,
} from '../../sql/query.ts'
import { FORGET_OVERFLOW, countForgotten } from './forget_spans.ts'
import { type KeptSpan, type TraceMemory, spanOfText, tenantOf, textOfSpan } from './kept.ts'
import type { KeepSpan } from './receive.ts'
import { processOf } from './repeated.ts'

/** A span as it is remembered; `text` is its JSON. */
interface SpanRow {
  readonly trace_id: string
  readonly span_id: string
  /** Whose run may begin with it; empty where that isn't known. */
  readonly tenant_id: string
  /** Whether no answer has reported yet that it is in no run. */
  readonly isUnreported: boolean
  /** The process of a call whose resource names its release. */
  readonly process: string | undefined
  /** Whether another trace may still repeat it. */
  readonly isPending: boolean
  readonly text: string
}

/** What is known of traces by the database. `nextTurn` lets other requests in while spans are parsed. */
export function traceMemory(db: Sql, nextTurn: () => Promise<void> | void): TraceMemory {
  return {
    recall: async traceIds => {
      const { state, rows } = await ask(
        db,
        together({
          state: onlyRow(
            sql`SELECT ${db.clock} AS now, spans_before FROM retention WHERE id = 1`,
            columns({ now: asNumber, spans_before: asNumber }),
          ),
          rows: allRows(
            sql`SELECT s.seq, s.trace_id, s.span_id, s.untold, s.arrived_at, s.span_json
              FROM ${jsonRows(traceIds.map(one))} JOIN kept_spans s ON s.trace_id = g.value ->> 0
              ORDER BY s.seq`,
            readKept,
          ),
        }),
      )
      const kept: KeptSpan[] = []
      for (const { seq, arrived_at: arrivedAt, untold: isUnreported, ...row } of rows) {
        if (kept.length % SPANS_PER_TURN === SPANS_PER_TURN - 1) await nextTurn()
        kept.push({ seq, span: spanOf(row), arrivedAt, isUnreported })
      }
      return { now: state.now, forgottenBefore: state.spans_before, kept }
    },
    callsOf: async processes => {
      const newest = allRows(
        sql`SELECT s.trace_id, s.span_id, s.span_json FROM ${jsonRows(processes.map(one))}
          JOIN kept_spans s ON s.process = g.value ->> 0
          WHERE s.arrived_at > ${db.clock} - ${COMPARED_MS} ORDER BY s.seq DESC LIMIT ${MOST_COMPARED}`,
        columns(SPAN_COLUMNS),
      )
      return (await ask(db, newest)).map(spanOf)
    },
    storedRuns: async traceIds => {
      const runs = allRows(
        sql`SELECT e.run_id, e.ts, e.latency_ms FROM ${jsonRows(traceIds.map(one))}
          CROSS JOIN run_events e WHERE ${OF_TRACE}`,
        columns({ run_id: asText, ts: asNumber, latency_ms: orNull(asNumber) }),
      )
      return (await ask(db, runs)).map(({ run_id, ts, latency_ms }) => {
        const [, traceId, spanId] = run_id.split(':')
        return { traceId: traceId!, spanId: spanId!, startMs: ts - (latency_ms ?? 0), endMs: ts }
      })
    },
  }
}

/** Spans to parse before other requests get a turn. */
const SPANS_PER_TURN = 2000

/** How long a call is compared with those of other traces, ms, and how many of one export. */
const COMPARED_MS = 60_000
const MOST_COMPARED = 500

export const SPAN_COLUMNS = { trace_id: asText, span_id: asText, span_json: asText }
const readKept = columns({ ...SPAN_COLUMNS, seq: asNumber, untold: asFlag, arrived_at: asNumber })

export function spanOf({ trace_id, span_id, span_json }: RowOf<typeof SPAN_COLUMNS>): Span {
  return spanOfText(trace_id, span_id, span_json)
}

/** Whether an event `e` is a run of the trace that `g` names. `;` follows `:`. */
const OF_TRACE = raw(
  "e.run_id >= 'otlp:' || (g.value ->> 0) || ':' AND e.run_id < 'otlp:' || (g.value ->> 0) || ';'",
)

/** What a write rests on: traces as they were recalled, and since when nothing was forgotten then, epoch ms. */
interface KnownTraces {
  readonly traces: readonly KnownTrace[]
  readonly forgottenBefore: number
}

/** The numbers of what is remembered of a trace. */
export interface KnownTrace {
  readonly trace_id: string
  readonly seqs: readonly number[]
}

/**
 * Stores runs only if their traces are as they were recalled, so that no span comes between, whichever server takes it;
 * and forgets the remembered spans that the runs count.
 */
export function joining(db: Pick<Sql, 'dialect'>, known: KnownTraces, joined: readonly number[]): Along {
  return {
    before: locks(db, known.traces, 'shared'),
    holds: unchanged(known),
    after: hold => (joined.length === 0 ? [] : [removal(joined, hold)]),
  }
}

/** What a request leaves of traces. */
interface Remainder extends KnownTraces {
  /** The runs that are known to be stored of them, with those of this request. */
  readonly run_ids: readonly string[]
  readonly keep: readonly KeepSpan[]
  /** Numbers of remembered spans that no run needs any more, and of those that an answer has reported. */
  readonly settled: readonly number[]
  readonly reported: readonly number[]
  /** How many calls came after their run was stored. */
  readonly late: number
}

/** Writes down what a request leaves; false, and nothing is written, where its traces are no longer as they were known. */
export async function rememberSpans(ledger: Ledger, remainder: Remainder): Promise<boolean> {
  const { traces, forgottenBefore, run_ids, keep, settled, reported, late } = remainder
  if (keep.length + settled.length + reported.length + late === 0) return true
  const { sql: db } = ledger
  const gone = new Set(settled)
  const left = traces.map(({ trace_id, seqs }) => ({ trace_id, seqs: seqs.filter(seq => !gone.has(seq)) }))
  const noOtherRun = noRunBut(traces, run_ids)
  const isAsKnown = sql`(${unchanged(remainder)} AND ${noOtherRun})`
  const isAsLeft = sql`(${unchanged({ traces: left, forgottenBefore })} AND ${noOtherRun})`
  const holds = onlyRow(
    sql`SELECT CASE WHEN ${isAsKnown} THEN 1 ELSE 0 END AS holds`,
    columns({ holds: asFlag }),
  )
  const noted = [
    ...(late === 0
      ? []
      : [addToCounter('run_spans_late', sql`(SELECT CASE WHEN ${isAsKnown} THEN ${late} ELSE 0 END)`)]),
    ...(reported.length === 0
      ? []
      : [sql`UPDATE kept_spans SET untold = 0 WHERE ${oneOf(reported)} AND ${isAsKnown}`]),
    ...(settled.length === 0 ? [] : [removal(settled, isAsKnown)]),
    ...slicesOf(keep.map(rowOf)).map(rows => insertion(db, rows, isAsLeft)),
  ]
  const done = await write(
    db,
    together({
      known: among(locks(db, traces, 'exclusive'), holds),
      noted: unread(noted),
      forgotten: keep.length === 0 ? undefined : FORGET_OVERFLOW,
    }),
  )
  countForgotten(ledger, done.forgotten ?? 0)
  return done.known.holds
}

/** Notes that spans don't wait to be repeated any more: what is left of them waits for others of their trace. */
export async function releaseSpans(db: Sql, seqs: readonly number[]): Promise<void> {
  await db.batch([sql`UPDATE kept_spans SET held = 0 WHERE ${oneOf(seqs)}`])
}

/**
 * Whether of each of these traces is remembered what was known: rows come with new numbers, and never change. One that
 * came and was forgotten since leaves no trace but in `spans_before`.
 */
function unchanged({ traces, forgottenBefore }: KnownTraces): Statement {
  const states = traces.map(({ trace_id, seqs }) => [trace_id, seqs.length, Math.max(0, ...seqs)])
  const of = raw('FROM kept_spans s WHERE s.trace_id = g.value ->> 0')
  return sql`(SELECT spans_before FROM retention WHERE id = 1) = ${forgottenBefore} AND NOT EXISTS (
    SELECT 1 FROM ${jsonRows(states)}
    WHERE (SELECT count(*) ${of}) <> CAST(g.value ->> 1 AS BIGINT)
      OR (SELECT coalesce(max(s.seq), 0) ${of}) <> CAST(g.value ->> 2 AS BIGINT))`
}

function noRunBut(traces: readonly KnownTrace[], runIds: readonly string[]): Statement {
  const ids = traces.map(({ trace_id }) => [trace_id])
  return sql`NOT EXISTS (SELECT 1 FROM ${jsonRows(ids)} CROSS JOIN run_events e
    WHERE ${OF_TRACE} AND e.run_id NOT IN (SELECT k.value ->> 0 FROM ${jsonRows(runIds.map(one), 'k')}))`
}

function insertion(db: Sql, rows: readonly SpanRow[], isAsKnown: Statement): Statement {
  const values = rows.map(({ trace_id, span_id, tenant_id, isUnreported, text, process, isPending }) => [
    trace_id,
    span_id,
    tenant_id,
    isUnreported ? 1 : 0,
    text,
    process ?? null,
    isPending ? 1 : 0,
  ])
  return sql`INSERT INTO kept_spans (trace_id, span_id, tenant_id, untold, arrived_at, span_json, process, held)
    SELECT g.value ->> 0, g.value ->> 1, g.value ->> 2, CAST(g.value ->> 3 AS BIGINT), ${db.clock}, g.value ->> 4,
      g.value ->> 5, CAST(g.value ->> 6 AS BIGINT)
    FROM ${jsonRows(values)} WHERE ${isAsKnown}
    ON CONFLICT (trace_id, span_id) DO NOTHING`
}

function rowOf({ span, ...rest }: KeepSpan): SpanRow {
  const { traceId: trace_id, spanId: span_id } = span
  const process = isCall(span) || reportsTokens(span) ? processOf(span) : undefined
  return { ...rest, trace_id, span_id, process, tenant_id: tenantOf(span), text: textOfSpan(span) }
}

function removal(seqs: readonly number[], holds: Statement): Statement {
  return sql`DELETE FROM kept_spans WHERE ${oneOf(seqs)} AND ${holds}`
}

function oneOf(seqs: readonly number[]): Statement {
  return sql`seq IN (SELECT CAST(g.value ->> 0 AS BIGINT) FROM ${jsonRows(seqs.map(one))})`
}

/** Most rows, and most characters of their texts, of one statement: D1 binds 2 MB. */
const SLICE_ROWS = 500
const SLICE_CHARS = 600_000

function slicesOf(rows: readonly SpanRow[]): SpanRow[][] {
  const slices: SpanRow[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const row of rows) {
    if (chars + row.text.length > SLICE_CHARS || slices.at(-1)!.length === SLICE_ROWS) {
      slices.push([])
      chars = 0
    }
    slices.at(-1)!.push(row)
    chars += row.text.length
  }
  return slices
}

/** A request that stores runs and one that remembers spans of the same trace take turns. */
function locks(
  db: Pick<Sql, 'dialect'>,
  traces: readonly KnownTrace[],
  mode: 'shared' | 'exclusive',
): Statement[] {
  const buckets = traces.map(({ trace_id }) => Number.parseInt(trace_id.slice(-2), 16) % BUCKETS)
  return lockNumbers(db, LOCK_GROUP, buckets, mode)
}

/** Any number that nobody else takes for locks of their own in this database, and how many locks there are. */
const LOCK_GROUP = 1_936_744_814
const BUCKETS = 64

function one<T>(value: T): readonly [T] {
  return [value]
}
