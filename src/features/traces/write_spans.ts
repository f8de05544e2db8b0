import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { SqlError } from '../../sql/port.ts'
import { ingestEvents } from '../../ledger/events/ingest.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { type KnownTrace, type SpanRow, joining, rememberSpans } from './kept_spans.ts'

/** What is to be written of some traces, and what it rests on. */
export interface TraceWork {
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
  readonly told: readonly number[]
  /** How many calls came after their run was stored. */
  readonly late: number
}

/** How often a request is judged again because another one changed what is remembered of its traces. */
const MOST_TRIES = 5

/**
 * Writes what `judge` says of traces, which is asked again where another request changed what is remembered of them
 * meanwhile. Throws SqlError `serialization` where that goes on.
 */
export async function writeTraces<T extends TraceWork>(ledger: Ledger, judge: () => Promise<T>): Promise<T> {
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
