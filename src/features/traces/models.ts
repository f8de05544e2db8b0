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
      "Spans that made no run, spans that wait, and warnings. Don't send any of them again.",
      {
        rejectedSpans: [
          /^\d+$/,
          'How many spans are refused, as text: OTLP writes 64-bit numbers as text. 0 if there are none.',
        ],
        errorMessage: ['string', 'Why, with how many for each reason.'],
      },
    ),
  },
)

/** An error of POST /v1/traces. */
export const OtlpStatus = object('A google.rpc.Status, the form of errors in OTLP.', {
  message: ['string', 'The error.'],
  detail: ['string', 'The error again, under the name that it has in other answers.'],
})
