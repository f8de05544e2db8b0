import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { resourceFromAttributes } from '@opentelemetry/resources'

const { CAPTURE_FORMAT = 'http' } = process.env
const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${CAPTURE_FORMAT}`)

export const exporter = new OTLPTraceExporter()

/** OpenTelemetry 2 with a stock exporter, as a program sets it up; `processors` in place of the stock one. */
export function startTracing(processors = [new BatchSpanProcessor(exporter)]) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'support-bot',
      'service.version': '1.5.0',
      'deployment.environment.name': 'prod',
    }),
    spanProcessors: processors,
  })
  trace.setGlobalTracerProvider(provider)
  return provider
}

/** Runs something in a span, as programs do around what a provider's SDK emits. */
export function inSpan(name, attributes, action) {
  return trace.getTracer('support-bot').startActiveSpan(name, { attributes }, async span => {
    try {
      return await action()
    } finally {
      span.end()
    }
  })
}
