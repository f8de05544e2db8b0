import { object } from '../../models/model.ts'

/** The body of POST /v1/traces in JSON, as far as it is said here: what it holds is OTLP's to say. */
export const OtlpTraces = object(
  'An ExportTraceServiceRequest of OpenTelemetry (OTLP 1.10), as exporters send it.',
  { 'resourceSpans?': ['object[] | null', 'Spans, by what emitted them.'] },
)

/** POST /v1/traces */
export const OtlpTracesAnswer = object(
  'An ExportTraceServiceResponse: empty where every span with tokens became part of a run, or of one that is stored.',
  {
    'partialSuccess?': object(
      'Spans of which no run was made, what waits, and warnings. None of it is to be sent again.',
      {
        rejectedSpans: [
          /^\d+$/,
          'How many spans are refused, as a text: OTLP writes 64-bit numbers so. 0 where nothing is.',
        ],
        errorMessage: ['string', 'Why, with how many for each reason.'],
      },
    ),
  },
)

/** An error of POST /v1/traces. */
export const OtlpStatus = object('A google.rpc.Status, as which OTLP has errors.', {
  message: ['string', 'What was wrong.'],
  detail: ['string', 'The same, under the name that errors have elsewhere.'],
})
