import type { Chance } from './chance.ts'

/** A trace of one run, as its exporter cuts it. */
export interface SentTrace {
  /** Exports of spans in JSON, in the order in which the spans end. */
  readonly requests: readonly TraceRequest[]
}

export interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: number }
}

export const INPUT = 'gen_ai.usage.input_tokens'

interface Place {
  readonly release: { readonly id: string; readonly agent: string }
  readonly environment: string
}

/** Most calls of a run: each uses twice the tokens of the one before, so that a sum tells which of them it holds. */
const MOST_CALLS = 8

/** An agent with calls of a model below it, some of them below other spans; one in ten has a model without a price. */
export function newTrace(
  id: number,
  chance: Chance,
  { release, environment }: Place,
  now: number,
): SentTrace {
  const traceId = `${id.toString(16)}${chance.hex(32)}1`.slice(-32)
  const duration = 10 + chance.below(60_000)
  const base = { traceId, startTimeUnixNano: `${now - duration}000000` }
  const ended = (spanId: string, parent: string, before: number, attributes: readonly Attribute[]) => ({
    ...base,
    spanId: spanId.padStart(16, '0'),
    parentSpanId: parent.padStart(16, '0'),
    endTimeUnixNano: `${now - before}000000`,
    attributes,
  })
  const calls = 1 + chance.below(MOST_CALLS)
  const bad = chance.is(0.1) ? chance.below(calls) : -1
  const spans: SentSpan[] = []
  for (let call = 0; call < calls; call++) {
    const step = chance.is(0.4) ? `2${call}` : undefined
    const before = Math.floor((duration * (calls - call)) / (calls + 1))
    spans.push(ended(`1${call}`, step ?? 'a', before, callOf(call, call === bad ? 'm9' : 'm1')))
    if (step !== undefined) spans.push(ended(step, 'a', before, stepOf(chance)))
  }
  const { parentSpanId: _, ...root } = ended('a', 'a', 0, agentOf(release))
  spans.push(chance.is(0.2) ? ended('a', 'b', 0, root.attributes) : root)
  const resource = { attributes: [text('deployment.environment.name', environment)] }
  const requests: TraceRequest[] = []
  for (let from = 0; from < spans.length;) {
    const size = 1 + chance.below(4)
    requests.push({ resourceSpans: [{ resource, scopeSpans: [{ spans: spans.slice(from, from + size) }] }] })
    from += size
  }
  return { requests }
}

function callOf(call: number, model: string): Attribute[] {
  return [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.request.model', model),
    { key: INPUT, value: { intValue: 2 ** call } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: 1 } },
  ]
}

/** Nothing, or an agent that is not the one of the release. */
function stepOf(chance: Chance): Attribute[] {
  return chance.is(0.5)
    ? [text('http.route', '/')]
    : [text('gen_ai.operation.name', 'invoke_agent'), text('gen_ai.agent.name', 'helper')]
}

function agentOf({ id, agent }: Place['release']): Attribute[] {
  return [
    text('gen_ai.operation.name', 'invoke_agent'),
    text('gen_ai.agent.name', agent),
    text('release_governance.release_id', id),
  ]
}

function text(key: string, value: string): Attribute {
  return { key, value: { stringValue: value } }
}
