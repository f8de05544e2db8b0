import { ServiceError } from '../../src/base/errors.ts'
import type { Called } from '../../src/http/access/context.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import type { Reply, RequestLike } from '../../src/http/wire/message.ts'
import { requireEventsInScope } from './_scope.ts'
import { findStrays } from './_stray.ts'
import { coversAgent } from '../../src/ledger/world/scope.ts'
import { findReleases } from '../../src/ledger/registry/priced_models.ts'
import { countEvents } from '../../src/ledger/world/tally.ts'
import {
  type SpanRow,
  type TraceWork,
  recallSpans,
  storedRunsOf,
  writeTraces,
} from '../../src/features/traces/kept_spans.ts'
import { normaliseEvent } from '../../src/models/documents/normalise.ts'
import { undeclaredText } from '../../src/rules/scope.ts'
import type { RunEvent } from '../../src/models/documents/run_event.ts'
import {
  type OtlpAnswer,
  acceptedAnswer,
  refusedAnswer,
  refusedCount,
} from '../../src/features/traces/answer.ts'
import { type ExportBody, LIMITS, formatOf, readExport } from '../../src/features/traces/body.ts'
import {
  type KeptSpan,
  type TraceMemory,
  spanOfText,
  tenantOf,
  textOfSpan,
} from '../../src/features/traces/kept.ts'
import { type Received, type Telling, makeRuns } from '../../src/features/traces/receive.ts'
import type { KnownRelease } from '../../src/features/traces/releases.ts'
import { eventOf } from '../../src/features/traces/runs.ts'
import type { Decoded } from '../../src/features/traces/spans.ts'

export default endpoint(
  'POST /v1/traces',
  {
    access: 'ingest',
    scope: 'checked',
    summary: 'Make run events of OpenTelemetry spans',
    description:
      'OTLP/HTTP, in protobuf or JSON, with gzip or without. Each agent span without an agent above it becomes a run ' +
      'event; its tokens are those of the model calls below it, also of those that came in earlier requests: they are ' +
      'remembered for a day. Spans of which no run can be made are counted in `partialSuccess`; with a count of 0 it ' +
      'says what waits. Sending again is safe: a span is one run, however often it comes.',
    body: {
      kind: 'bytes',
      shape: 'OtlpTraces',
      types: ['application/x-protobuf'],
      read: (bytes, headers): ExportBody => ({
        bytes,
        format: formatOf(headers.get('content-type')),
        encoding: headers.get('content-encoding'),
      }),
    },
    repeatable: true,
    answers: {
      200: 'OtlpTracesAnswer',
      400: 'OtlpStatus',
      401: 'OtlpStatus',
      403: 'OtlpStatus',
      413: 'OtlpStatus',
      415: 'OtlpStatus',
      429: 'OtlpStatus',
      503: 'OtlpStatus',
    },
    refusal: asStatus,
  },
  async function tracesIngest({ body }, context) {
    try {
      const decoded = await readExport(body, LIMITS, context.nextTurn)
      await context.nextTurn()
      const { telling } = await writeTraces(context, () => judged(decoded, context))
      tell(telling, context)
      return replyOf(acceptedAnswer(body.format, telling), 200)
    } catch (error) {
      // Nobody knows how many spans it would have been.
      if (error instanceof ServiceError) countEvents(context.tally, 'refused', 1)
      throw error
    }
  },
)

async function judged(decoded: Decoded, context: Called): Promise<TraceWork & Pick<Received, 'telling'>> {
  const { workspace, nextTurn } = context
  const received = await makeRuns(decoded, {
    lookup: async wanted =>
      (await findReleases(context.sql, wanted))
        .filter(({ agent_id }) => coversAgent(context.caller.scope, agent_id))
        .map(knownRelease),
    memory: memoryOf(context),
    nextTurn,
    environment: workspace.default_environment,
    now: context.now(),
    refuses: environment => undeclaredText(workspace, environment),
  })
  const drafted = received.drafts.map(draft => normaliseEvent(eventOf(draft) as RunEvent))
  await requireEventsInScope(drafted, context)
  const { slips, notes } = await findStrays(context, drafted)
  const refused = workspace.strict ? slips : []
  const strays = new Set(refused.flatMap(slip => slip.events))
  const strayIds = new Set(Array.from(strays, ({ run_id }) => run_id))
  const { telling } = received
  return {
    ...received,
    events: drafted.filter(event => !strays.has(event)),
    told: [
      ...received.told,
      ...received.joined.filter(({ run_id }) => strayIds.has(run_id)).map(({ seq }) => seq),
    ],
    telling: {
      ...telling,
      refused: new Map([
        ...telling.refused,
        ...refused.map(({ text, events }) => [`${text} (this workspace is strict)`, events.length] as const),
      ]),
      warnings: [...telling.warnings, ...(workspace.strict ? [] : slips.map(({ text }) => text)), ...notes],
    },
    forgottenBefore: received.recalled.forgottenBefore,
    rows: received.recalled.kept.map(({ seq, span }) => ({ seq, trace_id: span.traceId })),
    keep: received.keep.map(rowOf),
  }
}

/** Spans that are made of texts without letting other requests in between. */
const SPANS_PER_TURN = 2000

function memoryOf({ sql, nextTurn }: Called): TraceMemory {
  return {
    recall: async traceIds => {
      const { rows, ...state } = await recallSpans(sql, traceIds)
      const kept: KeptSpan[] = []
      for (const { seq, trace_id, span_id, text, arrived_at, isUntold } of rows) {
        if (kept.length % SPANS_PER_TURN === SPANS_PER_TURN - 1) await nextTurn()
        kept.push({ seq, span: spanOfText(trace_id, span_id, text), arrivedAt: arrived_at, isUntold })
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

function rowOf({ span, isUntold }: Received['keep'][number]): SpanRow {
  const { traceId: trace_id, spanId: span_id } = span
  return { trace_id, span_id, tenant_id: tenantOf(span), isUntold, text: textOfSpan(span) }
}

/** What exporters seldom print: the log has it, and the metrics. */
function tell(telling: Telling, { log, tally }: Called): void {
  const { refused, waiting, warnings } = telling
  if (refused.size > 0) {
    countEvents(tally, 'refused', refusedCount(telling))
    log('warn', 'spans of which no run was made', { spans: Object.fromEntries([...refused].slice(0, 10)) })
  }
  if (waiting.size > 0) {
    log('info', 'spans that wait for others of their trace', { spans: Object.fromEntries(waiting) })
  }
  if (warnings.length > 0) log('warn', 'spans of which the answer warns', { warnings })
}

type Found = Awaited<ReturnType<typeof findReleases>>[number]

function knownRelease({ provider, pricing_version, ...release }: Found): KnownRelease {
  return { ...release, pricing: { provider, pricing_version } }
}

function replyOf(
  { contentType, body }: OtlpAnswer,
  status: number,
  headers: Reply['headers'] = {},
): Reply<never> {
  return { status, headers: { ...headers, 'content-type': contentType }, body }
}

/** An error as OTLP has it: in protobuf where the spans came so. */
function asStatus({ status, headers, body }: Reply, request: RequestLike): Reply {
  const { detail } = JSON.parse(body as string) as { detail: string }
  const isProtobuf = /^application\/x-protobuf\b/i.test(request.headers.get('content-type') ?? '')
  if (isProtobuf) return replyOf(refusedAnswer('protobuf', detail), status, headers)
  return { status, headers, body: JSON.stringify({ message: detail, detail }) }
}
