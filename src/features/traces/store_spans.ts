import { normaliseEvent } from '../../models/documents/normalise.ts'
import type { RunEvent } from '../../models/documents/run_event.ts'
import { type Sender, findMistakes } from '../../ledger/events/check.ts'
import { findReleases } from '../../ledger/registry/priced_models.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import { coversAgent } from '../../ledger/world/scope.ts'
import { undeclaredText } from '../../rules/scope.ts'
import { type KeptSpan, type TraceMemory, spanOfText, tenantOf, textOfSpan } from './kept.ts'
import { type SpanRow, type TraceWork, recallSpans, storedRunsOf, writeTraces } from './kept_spans.ts'
import { type Received, type Telling, makeRuns } from './receive.ts'
import type { KnownRelease } from './releases.ts'
import { eventOf } from './runs.ts'
import type { Decoded } from './spans.ts'

/** The ledger, and a way to let other requests in during long work. */
type Host = Ledger & { readonly nextTurn: () => Promise<void> | void }

/**
 * Stores the runs of an export, and remembers the spans that wait for others. Throws 403 for runs outside the sender's
 * scope, SqlError `serialization` where other requests keep changing the same traces.
 */
export async function storeSpans(host: Host, decoded: Decoded, sender: Sender): Promise<Telling> {
  const { telling } = await writeTraces(host, () => workOf(decoded, host, sender))
  return telling
}

async function workOf(
  decoded: Decoded,
  host: Host,
  sender: Sender,
): Promise<TraceWork & Pick<Received, 'telling'>> {
  const { workspace, nextTurn } = host
  const received = await makeRuns(decoded, {
    lookup: async wanted =>
      (await findReleases(host.sql, wanted))
        .filter(({ agent_id }) => coversAgent(sender.scope, agent_id))
        .map(knownRelease),
    memory: memoryOf(host),
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

function memoryOf({ sql, nextTurn }: Host): TraceMemory {
  return {
    recall: async traceIds => {
      const { rows, ...state } = await recallSpans(sql, traceIds)
      const kept: KeptSpan[] = []
      for (const { seq, trace_id, span_id, text, arrived_at, isUnreported } of rows) {
        if (kept.length % SPANS_PER_TURN === SPANS_PER_TURN - 1) await nextTurn()
        kept.push({ seq, span: spanOfText(trace_id, span_id, text), arrivedAt: arrived_at, isUnreported })
      }
      return { ...state, kept }
    },
    storedRuns: async traceIds =>
      (await storedRunsOf(sql, traceIds)).map(({ trace_id, span_id, ts, latency_ms }) => ({
        traceId: trace_id,
        spanId: span_id,
        startMs: ts - latency_ms,
        endMs: ts,
      })),
  }
}

function rowOf({ span, isUnreported }: Received['keep'][number]): SpanRow {
  const { traceId: trace_id, spanId: span_id } = span
  return { trace_id, span_id, tenant_id: tenantOf(span), isUnreported, text: textOfSpan(span) }
}

type Found = Awaited<ReturnType<typeof findReleases>>[number]

function knownRelease({ provider, pricing_version, ...release }: Found): KnownRelease {
  return { ...release, pricing: { provider, pricing_version } }
}
