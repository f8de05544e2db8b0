import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import type { Reply, RequestLike } from '../../src/http/message.ts'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'
import { requireEventsInScope } from './_scope.ts'
import { findStrays } from './_stray.ts'
import { coversAgent } from '../../src/ledger/scope.ts'
import { findReleases } from '../../src/ledger/registry/known_releases.ts'
import { normaliseEvent } from '../../src/models/documents/normalise.ts'
import { undeclaredText } from '../../src/rules/decisions/gates.ts'
import type { RunEvent } from '../../src/models/documents/run_event.ts'
import { type OtlpAnswer, acceptedAnswer, refusedAnswer } from '../../src/otlp/answer.ts'
import { type ExportBody, formatOf } from '../../src/otlp/body.ts'
import { receiveExport } from '../../src/otlp/receive.ts'
import type { KnownRelease } from '../../src/otlp/releases.ts'
import { eventOf } from '../../src/otlp/runs.ts'

export default endpoint(
  'POST /v1/traces',
  {
    access: 'ingest',
    scope: 'checked',
    summary: 'Make run events of OpenTelemetry spans',
    description:
      'OTLP/HTTP, in protobuf or JSON, with gzip or without. Each agent span without an agent above it becomes a run ' +
      'event; its tokens are those of the model calls below it. Spans of which no run can be made are counted in ' +
      '`partialSuccess`. Sending again is safe: a span is one run, however often it comes.',
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
    const received = await receiveExport(body, {
      lookup: async wanted =>
        (await findReleases(context.sql, wanted))
          .filter(({ agent_id }) => coversAgent(context.caller.scope, agent_id))
          .map(knownRelease),
      nextTurn: context.nextTurn,
      environment: context.workspace.default_environment,
      now: context.now(),
      refuses: environment => undeclaredText(context.workspace, environment),
    })
    const drafted = received.drafts.map(draft => normaliseEvent(eventOf(draft) as RunEvent))
    await requireEventsInScope(drafted, context)
    const { slips, notes } = await findStrays(context, drafted)
    const refused = context.workspace.strict ? slips : []
    const strays = new Set(refused.flatMap(slip => slip.events))
    await ingestEvents(
      context,
      drafted.filter(event => !strays.has(event)),
    )
    const rejections = new Map(received.rejections)
    for (const { text, events } of refused)
      rejections.set(`${text} (this workspace is strict)`, events.length)
    const warnings = context.workspace.strict ? notes : [...slips.map(({ text }) => text), ...notes]
    if (rejections.size > 0) {
      context.log('warn', 'spans of which no run was made', {
        spans: Object.fromEntries([...rejections].slice(0, 10)),
      })
    }
    const isAsReceived = refused.length + warnings.length === 0
    return replyOf(isAsReceived ? received.answer : acceptedAnswer(body.format, rejections, warnings), 200)
  },
)

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
