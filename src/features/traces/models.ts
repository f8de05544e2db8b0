import { type } from 'arktype'
import { documented } from '../../models/docs.ts'

/** The body of POST /v1/traces in JSON, as far as it is said here: what it holds is OTLP's to say. */
export const OtlpTraces = type({ 'resourceSpans?': 'object[] | null' })

export const otlpTraces = documented(OtlpTraces, {
  title: 'OtlpTraces',
  description: 'An ExportTraceServiceRequest of OpenTelemetry (OTLP 1.10), as exporters send it.',
  fields: { resourceSpans: 'Spans, by what emitted them.' },
})

/** POST /v1/traces */
export const OtlpTracesAnswer = type({
  'partialSuccess?': { rejectedSpans: /^\d+$/, errorMessage: 'string' },
})

export const otlpTracesAnswer = documented(OtlpTracesAnswer, {
  title: 'OtlpTracesAnswer',
  description:
    'An ExportTraceServiceResponse: empty where every span with tokens became part of a run, or of one that is stored.',
  fields: {
    partialSuccess:
      'Spans of which no run was made, what waits, and warnings. None of it is to be sent again.',
    'partialSuccess.rejectedSpans':
      'How many spans are refused, as a text: OTLP writes 64-bit numbers so. 0 where nothing is.',
    'partialSuccess.errorMessage': 'Why, with how many for each reason.',
  },
})

/** An error of POST /v1/traces. */
export const OtlpStatus = type({ message: 'string', detail: 'string' })

export const otlpStatus = documented(OtlpStatus, {
  title: 'OtlpStatus',
  description: 'A google.rpc.Status, as which OTLP has errors.',
  fields: { message: 'What was wrong.', detail: 'The same, under the name that errors have elsewhere.' },
})

export const MODELS = {
  OtlpStatus: otlpStatus,
  OtlpTraces: otlpTraces,
  OtlpTracesAnswer: otlpTracesAnswer,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
