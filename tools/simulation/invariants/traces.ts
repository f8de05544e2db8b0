import type { Answer } from '../caller.ts'
import { INPUT, type SentSpan, type TraceRequest } from '../traces.ts'
import { type Rows, holds, same } from './invariant.ts'

const WHOLE = 'a run has the tokens of all spans that came before it'

/** The state of a trace. Calls are identified by their tokens, each a power of two. */
interface Trace {
  answered: number
  /** Calls of which an answer said that they are in no run. */
  refused: number
  /** Calls that its stored run counts. */
  stored?: number
}

/** Follows the runs that are made of spans. */
export class Traces {
  readonly #rows: Rows
  readonly #traces = new Map<string, Trace>()
  #seq = 0

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** A run is stored with all calls that were taken before, each once. */
  follow(): void {
    const rows = this.#rows(
      `SELECT seq, run_id, input_tokens, output_tokens FROM run_events WHERE seq > ? AND trace_id IS NOT NULL ORDER BY seq`,
      this.#seq,
    )
    for (const { seq, run_id, input_tokens, output_tokens } of rows) {
      this.#seq = Number(seq)
      const trace = this.#trace(String(run_id).split(':')[1]!)
      const stored = Number(input_tokens)
      same(WHOLE, `how many calls ${run_id} counts`, callsIn(stored), Number(output_tokens))
      // One that was stored before comes back from an archive or a copy, as it was.
      const missing = trace.stored === undefined ? trace.answered & ~stored : trace.stored ^ stored
      same(WHOLE, `what of ${run_id} was taken before, but is not counted`, missing, 0)
      trace.stored = stored
    }
  }

  /** Spans that are taken later, or are in no run for another reason, are reported. */
  answered(request: TraceRequest, { body }: Answer): void {
    const { spans } = request.resourceSpans[0]!.scopeSpans[0]!
    const trace = this.#trace(spans[0]!.traceId)
    const calls = spans.reduce((sum, span) => sum | inputOf(span), 0)
    trace.answered |= calls
    const said = (body as { partialSuccess?: { rejectedSpans: string } }).partialSuccess
    if (said !== undefined && said.rejectedSpans !== '0') trace.refused |= calls
    // Of a run that was pruned nothing is known any more.
    if (trace.stored !== undefined && !this.#isPruned(spans[0]!)) {
      const lost = calls & ~trace.stored & ~trace.refused
      same('a call that is in no run is told of', `what of ${spans[0]!.traceId} is lost in silence`, lost, 0)
    }
    const hasAgent = spans.some(({ spanId }) => spanId.endsWith('a'))
    holds(
      'what was acknowledged is there',
      !hasAgent || said !== undefined || trace.stored !== undefined || this.#isPruned(spans[0]!),
      () => `no run of ${spans[0]!.traceId} is stored, and nobody was told`,
    )
  }

  /** Whether what ended when a span did may be gone; the others of its trace ended within two minutes. */
  #isPruned({ endTimeUnixNano }: SentSpan): boolean {
    const [row] = this.#rows('SELECT events_before FROM retention WHERE id = 1')
    return Number(endTimeUnixNano.slice(0, -6)) < Number(row!.events_before) + 120_000
  }

  #trace(id: string): Trace {
    let trace = this.#traces.get(id)
    if (trace === undefined) this.#traces.set(id, (trace = { answered: 0, refused: 0 }))
    return trace
  }
}

function inputOf({ attributes }: SentSpan): number {
  const input = attributes.find(({ key }) => key === INPUT)
  return input !== undefined && 'intValue' in input.value ? input.value.intValue : 0
}

/** How many powers of two add up to a number. */
function callsIn(input: number): number {
  return input.toString(2).replaceAll('0', '').length
}
