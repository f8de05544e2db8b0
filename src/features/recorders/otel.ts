import type { EventQueue } from '../../sdk/event_queue.ts'
import { type RunFacts, type RunUsage, factsOf, usageOf } from '../../spans/event.ts'
import { Gathered, doubtsOf, endedAs, isIncomplete, uncountedText } from '../../spans/gather.ts'
import { FACTS, MODELS, OWN_AGENT, EXCEPTION_TYPE } from '../../spans/names.ts'
import { type PriceNames, pricedParts } from './priced.ts'
import { type Span, type AttributeValue, textOf, textsOf } from '../../spans/span.ts'
import { type ModelUse, isRunByResource, isRunLike } from '../../spans/use.ts'
import { sumCounts } from '../../usage/counts.ts'
import { keep, keepName } from '../../spans/keep.ts'

export type { PriceNames } from './priced.ts'

export interface RunSpanOptions extends PriceNames {
  /** The agent whose runs these are; those of agents with other names are left out. */
  readonly agent_id: string
  /** The release that runs; a span may name another. */
  readonly release_id: string
  /** The release's own model: runs that failed before they called one count for it, and are left out without it. */
  readonly model?: string
  /** Most spans that are open at once; beyond it the oldest are dropped. Default 10000. */
  readonly maxSpans?: number
  /** Called with the reason why a run was left out. Default: a line on `console.warn`, once per reason. */
  readonly onError?: (problem: string) => void
}

/** A run event as this makes it; what else an event has comes from the queue's `defaults`. */
export interface TracedRun extends RunFacts {
  readonly release_id: string
  readonly agent_id: string
  readonly usage: RunUsage
}

/** What is used of an EventQueue. Its `defaults` hold environment, tenant_id and task_id, where spans don't. */
export type RunQueue = Pick<EventQueue, 'flush' | 'drain'> & { add(event: never): string }

interface Open {
  readonly span: SpanLike
  readonly gathered: Gathered
  /** Whether a run below it has ended. */
  hasRun: boolean
}

/**
 * A span processor for OpenTelemetry 1.x to 3.x: each run of an agent becomes a run event as its span ends. It sees spans
 * before any batch is cut, and children end before their parents, so a run is always whole. It never throws, and keeps
 * of a finished span only its token counts, until the run ends.
 */
export class RunSpanProcessor {
  readonly #queue: RunQueue
  readonly #options: RunSpanOptions
  readonly #open = new Map<string, Open>()
  readonly #reported = new Set<string>()

  constructor(queue: RunQueue, options: RunSpanOptions) {
    this.#queue = queue
    this.#options = options
  }

  onStart(span: SpanLike): void {
    try {
      this.#open.set(keyOf(span), { span, gathered: new Gathered(), hasRun: false })
      if (this.#open.size <= (this.#options.maxSpans ?? 10_000)) return
      const [oldest] = this.#open.keys()
      this.#open.delete(oldest!)
      this.#report('too many spans are open; the oldest are dropped')
    } catch (error) {
      this.#report(String(error))
    }
  }

  onEnd(ended: SpanLike): void {
    try {
      const key = keyOf(ended)
      const { gathered, hasRun } = this.#open.get(key) ?? { gathered: new Gathered(), hasRun: false }
      this.#open.delete(key)
      const span = spanOf(ended)
      gathered.end(span)
      const above = this.#parentOf(ended)
      const isRun = isRunLike(span) && !this.#isWithinRun(above)
      if (above !== undefined && (isRun || hasRun)) above.hasRun = true
      const isByResource = isRunByResource(span) && gathered.calls > 0 && !hasRun
      if (isRun || isByResource) this.#record(span, gathered)
      else if (above !== undefined) above.gathered.add(gathered)
      else if (gathered.counted > 0) this.#report('model calls are outside of any agent span')
    } catch (error) {
      this.#report(String(error))
    }
  }

  async forceFlush(): Promise<void> {
    await this.#queue.flush()
  }

  /** Delivers what was logged; the queue stays open. */
  async shutdown(): Promise<void> {
    this.#open.clear()
    await this.#queue.drain()
  }

  #parentOf(span: SpanLike): Open | undefined {
    const parentId = parentIdOf(span)
    return parentId === undefined ? undefined : this.#open.get(span.spanContext().traceId + parentId)
  }

  #isWithinRun(above: Open | undefined): boolean {
    for (let open = above; open !== undefined; open = this.#parentOf(open.span)) {
      if (isRunLike({ attributes: open.span.attributes, parentId: parentIdOf(open.span) })) return true
    }
    return false
  }

  #record(first: Span, gathered: Gathered): void {
    const root = endedAs(first, gathered)
    const { agent_id, release_id } = this.#options
    const names = textsOf(root, OWN_AGENT)
    if (names.length > 0 && ![...names, textOf(root, FACTS.service)].includes(agent_id)) {
      return this.#report(`runs of ${names.join(' or ')} are not runs of ${agent_id}`)
    }
    const problem = gathered.problem ?? (root.hasFailed ? undefined : uncountedText(gathered))
    if (problem !== undefined) return this.#report(problem)
    const used = usesOf(root, gathered, this.#options.model)
    if (gathered.parts.length === 0 && used[0]!.models.length === 0) return this.#report(NO_MODEL)
    const parts = pricedParts(used, this.#options)
    if (typeof parts === 'string') return this.#report(parts)
    for (const text of doubtsOf(gathered)) this.#report(text)
    const event: TracedRun = {
      ...factsOf(root),
      agent_id,
      release_id: textOf(root, FACTS.release_id) ?? release_id,
      usage: usageOf(parts, undefined, gathered.tools, isIncomplete(gathered, root)),
    }
    this.#queue.add(event as never)
  }

  #report(problem: string): void {
    if (this.#reported.has(problem) || this.#reported.size >= MOST_REPORTED) return
    this.#reported.add(problem)
    try {
      const { onError = warn } = this.#options
      onError(problem)
    } catch {
      // What a listener throws must not reach the program that is traced.
    }
  }
}

/** What was used; where a call doesn't say of whom, it is what the run's own span says. `own` is the release's model. */
function usesOf(root: Span, { parts, models }: Gathered, own: string | undefined): ModelUse[] {
  const provider = textOf(root, MODELS.provider)
  if (parts.length > 0) return parts.map(part => ({ ...part, provider: part.provider ?? provider }))
  const names = own === undefined ? models : [...models, own]
  return [{ models: names, provider, counts: sumCounts([]) }]
}

const NO_MODEL = 'a run failed before it called a model: set the option `model` to the model of the release'

/** Most different problems that are reported. */
const MOST_REPORTED = 100

function warn(problem: string): void {
  // oxlint-disable-next-line eslint/no-console -- the only voice of a processor without a listener
  console.warn(`release-governance: no run event: ${problem}`)
}

function keyOf(span: SpanLike): string {
  const { traceId, spanId } = span.spanContext()
  return traceId + spanId
}

type HrTime = readonly [seconds: number, nanoseconds: number]

/** What is read of a span of OpenTelemetry's SDK for JavaScript, 1.x to 3.x. */
export interface SpanLike {
  spanContext(): { readonly traceId: string; readonly spanId: string }
  /** Since 2.0. */
  readonly parentSpanContext?: { readonly spanId: string; readonly isRemote?: boolean } | undefined
  /** In 1.x. */
  readonly parentSpanId?: string | undefined
  readonly name?: string
  readonly endTime: HrTime
  readonly duration: HrTime
  readonly status: { readonly code: number }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly attributes?: Readonly<Record<string, unknown>> | undefined }[]
  /** Since 2.0; before it is the library's. */
  readonly instrumentationScope?: { readonly name: string } | undefined
  readonly instrumentationLibrary?: { readonly name: string } | undefined
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
}

const STATUS_ERROR = 2

/** A span that has ended, reduced to what makes a run of it. */
function spanOf(span: SpanLike): Span {
  const { traceId, spanId } = span.spanContext()
  const attributes = kept(span.attributes)
  keepName(attributes, span.name)
  const exceptions = span.events.map(event => kept(event.attributes)[EXCEPTION_TYPE])
  return {
    traceId,
    spanId,
    parentId: parentIdOf(span),
    isParentRemote: span.parentSpanContext?.isRemote === true,
    endMs: Math.floor(milliseconds(span.endTime)),
    latencyMs: Math.round(milliseconds(span.duration)),
    hasFailed: span.status.code === STATUS_ERROR,
    scope: (span.instrumentationScope ?? span.instrumentationLibrary)?.name,
    exceptionType: exceptions.findLast(type => typeof type === 'string'),
    attributes,
    resource: kept(span.resource.attributes),
  }
}

function parentIdOf({ parentSpanContext, parentSpanId }: SpanLike): string | undefined {
  return parentSpanContext?.spanId ?? parentSpanId
}

function kept(attributes: Readonly<Record<string, unknown>> = {}): Record<string, AttributeValue> {
  const into: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(attributes)) keep(into, name, value)
  return into
}

function milliseconds([seconds, nanoseconds]: HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6
}
