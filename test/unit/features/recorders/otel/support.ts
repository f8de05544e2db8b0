import { type Tracer, context, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import {
  RunSpanProcessor,
  type RunSpanOptions,
  type TracedRun,
} from '../../../../../src/features/recorders/otel.ts'
import { RESOURCE } from '../../../../support/otlp/exports.ts'

export interface Traced {
  readonly tracer: Tracer
  readonly runs: TracedRun[]
  readonly problems: string[]
  readonly exporter: InMemorySpanExporter
  readonly processor: RunSpanProcessor
  readonly provider: TracerProvider
}

/** A tracer whose finished runs are kept. */
export function traced(options: Partial<RunSpanOptions> = {}, resource: Attributes = {}): Traced {
  const [runs, problems]: [TracedRun[], string[]] = [[], []]
  const queue = { add: (run: TracedRun) => `${runs.push(run)}`, flush: async () => {}, drain: async () => {} }
  const processor = new RunSpanProcessor(queue as never, {
    agent_id: 'bot',
    release_id: 'rel_1',
    onError: problem => void problems.push(problem),
    ...options,
  })
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...RESOURCE, ...resource }),
    spanProcessors: [processor, new SimpleSpanProcessor({ exporter })],
  })
  return { tracer: provider.getTracer('test'), runs, problems, exporter, processor, provider }
}

export const AGENT = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'bot' }
export const call = (input: number, output = 1) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'acme',
  'gen_ai.request.model': 'm1',
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
})

export type Attributes = Readonly<Record<string, string | number>>

/** Spans one within the other, as a nested list says, ended from the inside out. */
export type Tree = readonly [attributes: Attributes, ...children: readonly (readonly unknown[])[]]
export function play(tracer: Tracer, [attributes, ...children]: Tree): void {
  const span = tracer.startSpan('span', { attributes })
  context.with(trace.setSpan(context.active(), span), () => {
    for (const child of children) play(tracer, child as unknown as Tree)
  })
  span.end()
}
