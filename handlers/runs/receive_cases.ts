import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'
import { receiveCases } from '../../src/features/scores/receive.ts'

/** 1,000 cases with a thousand bytes each, so that what is stored of them fits every database. */
const MAX_BYTES = 1024 * 1024

export default endpoint({
  route: 'POST /v1/scores/cases',
  access: 'ingest',
  scope: ofRelease('body', { environment: 'every' }),
  summary: 'Send cases of an evaluation, part by part',
  description:
    "The first part opens an import, whose import_id goes with the others; POST /v1/scores finishes it. An unfinished import doesn't count, and is dropped a day after its last part. A part that was sent before is not stored again.",
  takes: 'CasesReceive',
  maxBytes: MAX_BYTES,
  answers: { 200: 'ReceivedCases', 400: 'ErrorText' },
  answer: function casesReceive({ body }, context) {
    return receiveCases(context, body)
  },
})
