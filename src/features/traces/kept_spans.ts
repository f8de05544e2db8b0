import { type Sender, findMistakes } from '../../ledger/events/check.ts'
import { findReleases } from '../../ledger/registry/priced_models.ts'
import { EVERYTHING, coversAgent } from '../../ledger/world/scope.ts'
import { normaliseEvent } from '../../models/documents/normalise.ts'
import type { RunEvent } from '../../models/documents/run_event.ts'
import { undeclaredText } from '../../rules/scope.ts'
import { type Sql, SqlError, sql } from '../../sql/port.ts'
import { allRows, asNumber, ask, columns } from '../../sql/query.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { countEvents } from '../../ledger/world/tally.ts'
import { refusedCount } from './answer.ts'
import { forgetSpans } from './forget_spans.ts'
import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { ingestEvents } from '../../ledger/events/ingest.ts'
import {
  type KnownTrace,
  SPAN_COLUMNS,
  joining,
  releaseSpans,
  rememberSpans,
  spanOf,
  traceMemory,
} from './kept_rows.ts'
import { type KeepSpan, type Received, type Outcome, makeRuns } from './receive.ts'
import { MOST_BUFFERED_MS, repeatsWithinMs } from './repeated.ts'
import { type KnownRelease, type ReleaseNames, Releases, type ReleaseLookup, wantedBy } from './releases.ts'
import { type SourceNote, noteSources } from '../../ledger/events/source_notes.ts'
import { keepLatest, remembering } from '../../ledger/world/memo.ts'
import { HOUR_MS } from '../../base/time.ts'
import { type RunDraft, eventOf } from './runs.ts'
import type { Decoded } from './spans.ts'

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
  readonly keep: readonly KeepSpan[]
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
  throw new SqlError('serialization', 'the traces of the request changed while they were checked')
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
  const traceOf = new Map(rows.map(({ seq, trace_id }) => [seq, trace_id]))
  try {
    await ingestEvents(ledger, events, some => {
      const gone = some.flatMap(({ run_id }) => (byRun.get(run_id) ?? []).map(({ seq }) => seq))
      const traceIds = [
        ...some.map(({ request }) => request!.trace_id!),
        ...gone.map(seq => traceOf.get(seq)!),
      ]
      return joining(ledger.sql, { traces: known(traceIds), forgottenBefore }, gone)
    })
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
 * Stores the runs of an export, and remembers the spans that wait for others. `due` are traces to judge again. Throws 403
 * for runs outside the sender's scope, SqlError `serialization` where other requests keep changing the same traces.
 */
export async function storeSpans(
  host: Host,
  decoded: Decoded,
  sender: Sender,
  due: readonly string[] = [],
): Promise<Outcome> {
  const work = await writeTraces(host, () => workOf(decoded, host, sender, due))
  const notes = [...work.outcome.notes, ...(await strangeNotes(host, work.strange, sender))]
  const outcome = { ...work.outcome, notes: await noteSources(host, notes) }
  report(outcome, host)
  return outcome
}

/** What exporters seldom print: the log has it, and the metrics. */
function report(outcome: Outcome, { log, tally }: Host): void {
  const { refused, waiting, warnings, notes } = outcome
  if (refused.size > 0) {
    countEvents(tally, 'refused', refusedCount(outcome))
    log('warn', 'spans that made no run', { spans: Object.fromEntries([...refused].slice(0, 10)) })
  }
  if (waiting.size > 0) {
    log('info', 'spans that wait for others of their trace', { spans: Object.fromEntries(waiting) })
  }
  if (warnings.length > 0) log('warn', 'spans with a warning', { warnings })
  if (notes.length > 0)
    log('warn', 'sources send data that is not counted', { notes: notes.map(({ text }) => text) })
}

/** When processes of strange spans were looked at last, epoch ms. */
const strangeAt = remembering(() => new Map<string, number>())

/** What to say of processes that name a release and of whose spans none is understood. */
async function strangeNotes(
  { sql: db, memo, now }: Host,
  strange: readonly ReleaseNames[],
  sender: Sender,
): Promise<SourceNote[]> {
  const checkedAt = strangeAt(memo)
  const due = strange.filter(named => now() >= (checkedAt.get(JSON.stringify(named)) ?? 0) + HOUR_MS)
  if (due.length === 0) return []
  for (const named of due) keepLatest(checkedAt, JSON.stringify(named), now())
  const releases = new Releases(await releasesOf(db, wantedBy(due), sender))
  return due.flatMap(named => {
    const release = releases.find(named)
    if (typeof release === 'string') return []
    const { release_id, agent_id, version } = release
    const text = `no span of ${release_id} (${agent_id} ${version}) is an agent, a model call or a known tool: its instrumentation may not be supported`
    return [{ kind: 'not understood' as const, text, release_id }]
  })
}

async function releasesOf(db: Sql, wanted: ReleaseLookup, { scope }: Sender): Promise<KnownRelease[]> {
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
    sql`SELECT seq, trace_id, span_id, span_json, ${db.clock} - arrived_at AS waited_ms FROM kept_spans
      WHERE held = 1 AND arrived_at < ${db.clock} - ${MOST_BUFFERED_MS} ORDER BY seq LIMIT ${MOST_DUE}`,
    columns({ ...SPAN_COLUMNS, seq: asNumber, waited_ms: asNumber }),
  )
  const due = (await ask(db, overdue)).filter(row => row.waited_ms > repeatsWithinMs(spanOf(row)))
  if (due.length === 0) return
  const host = { ...ledger, nextTurn: () => {} }
  // The token that sent them was checked then.
  const sender = { scope: EVERYTHING, readsAll: true }
  const traceIds = [...new Set(due.map(({ trace_id }) => trace_id))]
  await storeSpans(host, { spans: [], broken: [] }, sender, traceIds)
  await releaseSpans(
    db,
    due.map(({ seq }) => seq),
  )
}

async function workOf(
  decoded: Decoded,
  host: Host,
  sender: Sender,
  due: readonly string[] = [],
): Promise<TraceWork & Pick<Received, 'outcome' | 'strange'>> {
  const { workspace, nextTurn } = host
  const received = await makeRuns(decoded, {
    lookup: wanted => releasesOf(host.sql, wanted, sender),
    memory: traceMemory(host.sql, nextTurn),
    due,
    nextTurn,
    environment: workspace.default_environment,
    now: host.now(),
    refuses: environment => undeclaredText(workspace, environment),
  })
  const eventsOf = (drafts: readonly RunDraft[]) =>
    drafts.map(draft => normaliseEvent(eventOf(draft) as RunEvent))
  const drafted = eventsOf(received.drafts)
  // Those that wait are stored later, when nobody asks who sent them.
  const { mistakes, notes } = await findMistakes(host, [...drafted, ...eventsOf(received.pending)], sender)
  const refused = workspace.strict ? mistakes : []
  const left = new Set(refused.flatMap(({ events }) => events))
  const leftTraces = new Set(refused.flatMap(({ events }) => events.map(({ request }) => request?.trace_id)))
  const leftIds = new Set(Array.from(left, ({ run_id }) => run_id))
  const { outcome } = received
  return {
    ...received,
    events: drafted.filter(event => !left.has(event)),
    keep: received.keep.filter(({ span, isPending }) => !isPending || !leftTraces.has(span.traceId)),
    reported: [
      ...received.reported,
      ...received.joined.filter(({ run_id }) => leftIds.has(run_id)).map(({ seq }) => seq),
    ],
    outcome: {
      ...outcome,
      refused: new Map([
        ...outcome.refused,
        ...refused.map(({ text, events }) => [`${text} (this workspace is strict)`, events.length] as const),
      ]),
      warnings: [
        ...outcome.warnings,
        ...(workspace.strict ? [] : mistakes.map(({ text }) => text)),
        ...notes,
      ],
    },
    forgottenBefore: received.recalled.forgottenBefore,
    rows: received.recalled.kept.map(({ seq, span }) => ({ seq, trace_id: span.traceId })),
  }
}

type FoundRelease = Awaited<ReturnType<typeof findReleases>>[number]

function knownRelease({ provider, pricing_version, ...release }: FoundRelease): KnownRelease {
  return { ...release, pricing: { provider, pricing_version } }
}
