import { ServiceError } from '../../src/base/errors.ts'
import { type OtlpAnswer, acceptedAnswer, refusedAnswer } from '../../src/features/traces/answer.ts'
import { type ExportBody, LIMITS, formatOf, readExport } from '../../src/features/traces/body.ts'
import { storeSpans } from '../../src/features/traces/kept_spans.ts'
import { senderOf } from '../../src/http/access/caller.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import type { Reply, RequestLike } from '../../src/http/wire/message.ts'
import { countEvents } from '../../src/ledger/world/tally.ts'

export default endpoint({
  route: 'POST /v1/traces',
  access: 'ingest',
  scope: 'checked',
  summary: 'Make run events of OpenTelemetry spans',
  description:
    'OTLP/HTTP, in protobuf or JSON, with gzip or without. Each agent span without an agent above it becomes a run event. Its tokens are those of the model calls below it, also from earlier requests: they are remembered for a day. `partialSuccess` counts spans that make no run; with a count of 0 it names spans that wait. Sending again is safe: a span is always one run.',
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
  handle: async function tracesIngest({ body }, context) {
    try {
      const decoded = await readExport(body, LIMITS, context.nextTurn)
      await context.nextTurn()
      const outcome = await storeSpans(context, decoded, senderOf(context.caller))
      return replyOf(acceptedAnswer(body.format, outcome), 200)
    } catch (error) {
      // Nobody knows how many spans it would have been.
      if (error instanceof ServiceError) countEvents(context.tally, 'refused', 1)
      throw error
    }
  },
})

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
