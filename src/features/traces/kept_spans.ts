import { type Sender, findMistakes } from '../../ledger/events/check.ts'
import { findReleases } from '../../ledger/registry/priced_models.ts'
import { EVERYTHING, coversAgent } from '../../ledger/world/scope.ts'
import { normaliseEvent } from '../../models/documents/normalise.ts'
import type { RunEvent } from '../../models/documents/run_event.ts'
import { undeclaredText } from '../../rules/scope.ts'
import { type Row, type Sql, SqlError, type Statement, raw, sql } from '../../sql/port.ts'
import {
  allRows,
  among,
  asFlag,
  asNumber,
  asText,
  ask,
  columns,
  field,
  jsonRows,
  onlyRow,
  orNull,
  together,
  unread,
  write,
} from '../../sql/query.ts'
import { addToCounter } from '../../ledger/trail/counters.ts'
import type { Along } from '../../ledger/events/ingest_sql.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { FORGET_OVERFLOW, countForgotten, forgetSpans } from './forget_spans.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { ingestEvents } from '../../ledger/events/ingest.ts'
import { type KeptSpan, type TraceMemory, spanOfText, tenantOf, textOfSpan } from './kept.ts'
import { type KeepSpan, type Received, type Telling, makeRuns } from './receive.ts'
import { MOST_BUFFERED_MS, processOf } from './repeated.ts'
import type { Span } from '../../spans/span.ts'
import { isCall, reportsTokens } from '../../spans/use.ts'
import { type KnownRelease, type Named, Releases, type Wanted, wantedBy } from './releases.ts'
import { type SourceNote, noteSources } from '../../ledger/events/source_notes.ts'
import { keepLatest, remembered } from '../../ledger/world/memo.ts'
import { HOUR_MS } from '../../base/time.ts'
import { eventOf } from './runs.ts'
import type { Decoded } from './spans.ts'

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

interface KeptRow extends Omit<SpanRow, 'tenant_id' | 'process' | 'isPending'> {
  readonly seq: number
  /** Epoch ms of the database's clock. */
  readonly arrived_at: number
}

/** What is remembered of some traces. */
interface RecalledRows {
  /** Epoch ms of the database's clock. */
  readonly now: number
  /** Spans that came before this may be forgotten. */
  readonly forgottenBefore: number
  readonly rows: readonly KeptRow[]
}

async function recallSpans(db: Sql, traceIds: readonly string[]): Promise<RecalledRows> {
  const { state, rows } = await ask(
    db,
    together({
      state: onlyRow(
        sql`SELECT ${db.clock} AS now, spans_before FROM retention WHERE id = 1`,
        columns({ now: asNumber, spans_before: asNumber }),
      ),
      rows: allRows(
        sql`SELECT s.seq, s.trace_id, s.span_id, s.untold, s.arrived_at, s.span_json
          FROM ${jsonRows(db.dialect, traceIds.map(one))} JOIN kept_spans s ON s.trace_id = g.value ->> 0 ORDER BY s.seq`,
        toKeptRow,
      ),
    }),
  )
  return { now: state.now, forgottenBefore: state.spans_before, rows }
}

const readKept = columns({
  seq: asNumber,
  trace_id: asText,
  span_id: asText,
  untold: asFlag,
  arrived_at: asNumber,
  span_json: asText,
})

function toKeptRow(row: Row): KeptRow {
  const { untold: isUnreported, span_json: text, ...kept } = readKept(row)
  return { ...kept, isUnreported, text }
}

/** How long a call is compared with those of other traces, ms, and how many of one export. */
const COMPARED_MS = 60_000
const MOST_COMPARED = 500

async function callsOf(db: Sql, processes: readonly string[]): Promise<Span[]> {
  const newest = allRows(
    sql`SELECT s.trace_id, s.span_id, s.span_json FROM ${jsonRows(db.dialect, processes.map(one))}
      JOIN kept_spans s ON s.process = g.value ->> 0
      WHERE s.arrived_at > ${db.clock} - ${COMPARED_MS} ORDER BY s.seq DESC LIMIT ${MOST_COMPARED}`,
    columns({ trace_id: asText, span_id: asText, span_json: asText }),
  )
  return (await ask(db, newest)).map(({ trace_id, span_id, span_json }) =>
    spanOfText(trace_id, span_id, span_json),
  )
}

/** A run that is stored of a trace, by the id of its first span. */
interface StoredTraceRun {
  readonly trace_id: string
  readonly span_id: string
  /** Its end, epoch ms. */
  readonly ts: number
  readonly latency_ms: number
}

async function storedRunsOf(db: Sql, traceIds: readonly string[]): Promise<StoredTraceRun[]> {
  const runs = allRows(
    sql`SELECT e.run_id, e.ts, e.latency_ms FROM ${jsonRows(db.dialect, traceIds.map(one))}
      CROSS JOIN run_events e WHERE ${OF_TRACE}`,
    columns({ run_id: asText, ts: asNumber, latency_ms: orNull(asNumber) }),
  )
  return (await ask(db, runs)).map(({ run_id, ts, latency_ms }) => {
    const [, trace_id, span_id] = run_id.split(':')
    return { trace_id: trace_id!, span_id: span_id!, ts, latency_ms: latency_ms ?? 0 }
  })
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
interface KnownTrace {
  readonly trace_id: string
  readonly seqs: readonly number[]
}

/**
 * Stores runs only if their traces are as they were recalled, so that no span comes between, whichever server takes it;
 * and forgets the remembered spans that the runs count.
 */
function joining(db: Pick<Sql, 'dialect'>, known: KnownTraces, joined: readonly number[]): Along {
  return {
    before: locks(db, known.traces, 'shared'),
    holds: unchanged(db, known),
    after: hold => (joined.length === 0 ? [] : [removal(db, joined, hold)]),
  }
}

/** What a request leaves of traces. */
interface Remainder extends KnownTraces {
  /** The runs that are known to be stored of them, with those of this request. */
  readonly run_ids: readonly string[]
  readonly keep: readonly SpanRow[]
  /** Numbers of remembered spans that no run needs any more, and of those that an answer has reported. */
  readonly settled: readonly number[]
  readonly reported: readonly number[]
  /** How many calls came after their run was stored. */
  readonly late: number
}

/** Writes down what a request leaves; false, and nothing is written, where its traces are no longer as they were known. */
async function rememberSpans(ledger: Ledger, remainder: Remainder): Promise<boolean> {
  const { traces, forgottenBefore, run_ids, keep, settled, reported, late } = remainder
  if (keep.length + settled.length + reported.length + late === 0) return true
  const { sql: db } = ledger
  const gone = new Set(settled)
  const left = traces.map(({ trace_id, seqs }) => ({ trace_id, seqs: seqs.filter(seq => !gone.has(seq)) }))
  const noOtherRun = noRunBut(db, traces, run_ids)
  const isAsKnown = sql`(${unchanged(db, remainder)} AND ${noOtherRun})`
  const isAsLeft = sql`(${unchanged(db, { traces: left, forgottenBefore })} AND ${noOtherRun})`
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
      : [sql`UPDATE kept_spans SET untold = 0 WHERE ${oneOf(db, reported)} AND ${isAsKnown}`]),
    ...(settled.length === 0 ? [] : [removal(db, settled, isAsKnown)]),
    ...slicesOf(keep).map(rows => insertion(db, rows, isAsLeft)),
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

/**
 * Whether of each of these traces is remembered what was known: rows come with new numbers, and never change. One that
 * came and was forgotten since leaves no trace but in `spans_before`.
 */
function unchanged(db: Pick<Sql, 'dialect'>, { traces, forgottenBefore }: KnownTraces): Statement {
  const states = traces.map(({ trace_id, seqs }) => [trace_id, seqs.length, Math.max(0, ...seqs)])
  const of = raw('FROM kept_spans s WHERE s.trace_id = g.value ->> 0')
  return sql`(SELECT spans_before FROM retention WHERE id = 1) = ${forgottenBefore} AND NOT EXISTS (
    SELECT 1 FROM ${jsonRows(db.dialect, states)}
    WHERE (SELECT count(*) ${of}) <> CAST(g.value ->> 1 AS BIGINT)
      OR (SELECT coalesce(max(s.seq), 0) ${of}) <> CAST(g.value ->> 2 AS BIGINT))`
}

function noRunBut(
  db: Pick<Sql, 'dialect'>,
  traces: readonly KnownTrace[],
  runIds: readonly string[],
): Statement {
  const ids = traces.map(({ trace_id }) => [trace_id])
  return sql`NOT EXISTS (SELECT 1 FROM ${jsonRows(db.dialect, ids)} CROSS JOIN run_events e
    WHERE ${OF_TRACE} AND e.run_id NOT IN (SELECT k.value ->> 0 FROM ${jsonRows(db.dialect, runIds.map(one), 'k')}))`
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
    FROM ${jsonRows(db.dialect, values)} WHERE ${isAsKnown}
    ON CONFLICT (trace_id, span_id) DO NOTHING`
}

function removal(db: Pick<Sql, 'dialect'>, seqs: readonly number[], holds: Statement): Statement {
  return sql`DELETE FROM kept_spans WHERE ${oneOf(db, seqs)} AND ${holds}`
}

function oneOf(db: Pick<Sql, 'dialect'>, seqs: readonly number[]): Statement {
  return sql`seq IN (SELECT CAST(g.value ->> 0 AS BIGINT) FROM ${jsonRows(db.dialect, seqs.map(one))})`
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

/**
 * On PostgreSQL two transactions don't see each other before they are committed, so one that stores runs and one that
 * remembers spans of the same trace take turns. Elsewhere there is one writer at a time.
 */
function locks(
  { dialect }: Pick<Sql, 'dialect'>,
  traces: readonly KnownTrace[],
  mode: 'shared' | 'exclusive',
): Statement[] {
  if (dialect !== 'postgres') return []
  const buckets = new Set(traces.map(({ trace_id }) => Number.parseInt(trace_id.slice(-2), 16) % BUCKETS))
  const take = raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  // In one order, so that two that share some can't wait for each other.
  const sorted = [...buckets].sort((a, b) => a - b)
  return [
    sql`SELECT ${take}(${LOCK_CLASS}, CAST(g.value ->> 0 AS INTEGER)) FROM ${jsonRows(dialect, sorted.map(one))}`,
  ]
}

/** Any number that nobody else takes for locks of their own in this database, and how many locks there are. */
const LOCK_CLASS = raw('1936744814')
const BUCKETS = 64

function one<T>(value: T): readonly [T] {
  return [value]
}

/** What is to be written of some traces, and what it rests on. */
interface TraceWork {
  /** The runs; `request.trace_id` is their trace. */
  readonly events: readonly StoredEvent[]
  /** What was recalled. */
  readonly rows: readonly { readonly seq: number; readonly trace_id: string }[]
  /** Since when nothing was forgotten then, epoch ms of the database's clock. */
  readonly forgottenBefore: number
  /** Of these, what runs count; what runs count that are not among `events` stays. */
  readonly joined: readonly { readonly seq: number; readonly run_id: string }[]
  /** Traces of which more than runs is written, and the runs that are known to be stored of them. */
  readonly doubtful: readonly string[]
  readonly run_ids: readonly string[]
  readonly keep: readonly SpanRow[]
  /** Numbers of what no run needs any more, and of what the answer tells of. */
  readonly settled: readonly number[]
  readonly reported: readonly number[]
  /** How many calls came after their run was stored. */
  readonly late: number
}

/** How often a request is judged again because another one changed what is remembered of its traces. */
const MOST_TRIES = 5

/**
 * Writes what `judge` says of traces, and calls it again where another request changed what is remembered of them
 * meanwhile. Throws SqlError `serialization` where that goes on.
 */
async function writeTraces<T extends TraceWork>(ledger: Ledger, judge: () => Promise<T>): Promise<T> {
  for (let left = MOST_TRIES; left > 0; left--) {
    const work = await judge()
    if (await isWritten(ledger, work)) return work
  }
  throw new SqlError('serialization', 'the traces of the request changed while they were looked at')
}

async function isWritten(ledger: Ledger, work: TraceWork): Promise<boolean> {
  const { events, rows, forgottenBefore, doubtful, run_ids } = work
  const stored = new Set(events.map(({ run_id }) => run_id))
  const joined = work.joined.filter(({ run_id }) => stored.has(run_id))
  const seqs = Map.groupBy(rows, ({ trace_id }) => trace_id)
  const joinedSeqs = new Set(joined.map(({ seq }) => seq))
  const known = (traceIds: Iterable<string>, isLeft: (seq: number) => boolean = () => true): KnownTrace[] =>
    Array.from(new Set(traceIds), trace_id => ({
      trace_id,
      seqs: (seqs.get(trace_id) ?? []).map(({ seq }) => seq).filter(isLeft),
    }))
  const byRun = Map.groupBy(joined, ({ run_id }) => run_id)
  try {
    await ingestEvents(ledger, events, some =>
      joining(
        ledger.sql,
        { traces: known(some.map(({ request }) => request!.trace_id!)), forgottenBefore },
        some.flatMap(({ run_id }) => (byRun.get(run_id) ?? []).map(({ seq }) => seq)),
      ),
    )
  } catch (error) {
    if (error instanceof SqlError && error.kind === 'serialization') return false
    throw error
  }
  return rememberSpans(ledger, {
    ...work,
    traces: known(doubtful, seq => !joinedSeqs.has(seq)),
    run_ids: [...run_ids, ...stored],
  })
}

/** The ledger, and a way to let other requests in during long work. */
type Host = Ledger & { readonly nextTurn: () => Promise<void> | void }

/**
 * Stores the runs of an export, and remembers the spans that wait for others. Throws 403 for runs outside the sender's
 * scope, SqlError `serialization` where other requests keep changing the same traces.
 */
export async function storeSpans(host: Host, decoded: Decoded, sender: Sender): Promise<Telling> {
  const { telling, strange } = await writeTraces(host, () => workOf(decoded, host, sender))
  const notes = [...telling.notes, ...(await strangeNotes(host, strange, sender))]
  return { ...telling, notes: await noteSources(host, notes) }
}

/** What to say of processes that name a release and of whose spans none is understood. */
async function strangeNotes(
  { sql: db, memo, now }: Host,
  strange: readonly Named[],
  sender: Sender,
): Promise<SourceNote[]> {
  const lookedUp = remembered(memo, 'strange spans', () => new Map<string, number>())
  const due = strange.filter(named => now() >= (lookedUp.get(JSON.stringify(named)) ?? 0) + HOUR_MS)
  if (due.length === 0) return []
  for (const named of due) keepLatest(lookedUp, JSON.stringify(named), now())
  const releases = new Releases(await releasesOf(db, wantedBy(due), sender))
  return due.flatMap(named => {
    const release = releases.find(named)
    if (typeof release === 'string') return []
    const { release_id, agent_id, version } = release
    const text =
      `no span of ${release_id} (${agent_id} ${version}) is an agent, a call of a model or a tool that is known: ` +
      'its instrumentation may be one that is not read'
    return [{ kind: 'not understood' as const, text, release_id }]
  })
}

async function releasesOf(db: Sql, wanted: Wanted, { scope }: Sender): Promise<KnownRelease[]> {
  const found = await findReleases(db, wanted)
  return found.filter(({ agent_id }) => coversAgent(scope, agent_id)).map(knownRelease)
}

/** Most calls that are judged again at once. */
const MOST_DUE = 1000

/** What remembered spans need once a minute. */
export async function keepSpans(ledger: Ledger): Promise<void> {
  await storePending(ledger)
  await forgetSpans(ledger)
}

/** Stores the runs of one call that no other trace has repeated in time. */
async function storePending(ledger: Ledger): Promise<void> {
  const { sql: db } = ledger
  const overdue = allRows(
    sql`SELECT DISTINCT trace_id FROM kept_spans WHERE held = 1 AND arrived_at < ${db.clock} - ${MOST_BUFFERED_MS}
      LIMIT ${MOST_DUE}`,
    field('trace_id', asText),
  )
  const due = await ask(db, overdue)
  if (due.length === 0) return
  const host = { ...ledger, nextTurn: () => {} }
  // The token that sent them was checked then.
  const sender = { scope: EVERYTHING, readsAll: true }
  await writeTraces(host, () => workOf({ spans: [], broken: [] }, host, sender, due))
}

async function workOf(
  decoded: Decoded,
  host: Host,
  sender: Sender,
  due: readonly string[] = [],
): Promise<TraceWork & Pick<Received, 'telling' | 'strange'>> {
  const { workspace, nextTurn } = host
  const received = await makeRuns(decoded, {
    lookup: wanted => releasesOf(host.sql, wanted, sender),
    memory: memoryOf(host),
    due,
    nextTurn,
    environment: workspace.default_environment,
    now: host.now(),
    refuses: environment => undeclaredText(workspace, environment),
  })
  const drafted = received.drafts.map(draft => normaliseEvent(eventOf(draft) as RunEvent))
  const { mistakes, notes } = await findMistakes(host, drafted, sender)
  const refused = workspace.strict ? mistakes : []
  const left = new Set(refused.flatMap(({ events }) => events))
  const leftIds = new Set(Array.from(left, ({ run_id }) => run_id))
  const { telling } = received
  return {
    ...received,
    events: drafted.filter(event => !left.has(event)),
    reported: [
      ...received.reported,
      ...received.joined.filter(({ run_id }) => leftIds.has(run_id)).map(({ seq }) => seq),
    ],
    telling: {
      ...telling,
      refused: new Map([
        ...telling.refused,
        ...refused.map(({ text, events }) => [`${text} (this workspace is strict)`, events.length] as const),
      ]),
      warnings: [
        ...telling.warnings,
        ...(workspace.strict ? [] : mistakes.map(({ text }) => text)),
        ...notes,
      ],
    },
    forgottenBefore: received.recalled.forgottenBefore,
    rows: received.recalled.kept.map(({ seq, span }) => ({ seq, trace_id: span.traceId })),
    keep: received.keep.map(rowOf),
  }
}

/** Spans to parse before other requests get a turn. */
const SPANS_PER_TURN = 2000

function memoryOf({ sql: db, nextTurn }: Host): TraceMemory {
  return {
    recall: async traceIds => {
      const { rows, ...state } = await recallSpans(db, traceIds)
      const kept: KeptSpan[] = []
      for (const { seq, trace_id, span_id, text, arrived_at, isUnreported } of rows) {
        if (kept.length % SPANS_PER_TURN === SPANS_PER_TURN - 1) await nextTurn()
        kept.push({ seq, span: spanOfText(trace_id, span_id, text), arrivedAt: arrived_at, isUnreported })
      }
      return { ...state, kept }
    },
    callsOf: processes => callsOf(db, processes),
    storedRuns: async traceIds =>
      (await storedRunsOf(db, traceIds)).map(({ trace_id, span_id, ts, latency_ms }) => ({
        traceId: trace_id,
        spanId: span_id,
        startMs: ts - latency_ms,
        endMs: ts,
      })),
  }
}

function rowOf({ span, ...rest }: KeepSpan): SpanRow {
  const { traceId: trace_id, spanId: span_id } = span
  const process = isCall(span) || reportsTokens(span) ? processOf(span) : undefined
  return { ...rest, trace_id, span_id, process, tenant_id: tenantOf(span), text: textOfSpan(span) }
}

type Found = Awaited<ReturnType<typeof findReleases>>[number]

function knownRelease({ provider, pricing_version, ...release }: Found): KnownRelease {
  return { ...release, pricing: { provider, pricing_version } }
}
