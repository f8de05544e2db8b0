import { sourceOf, usageIn } from '../usage/attributes.ts'
import { type TokenCounts, sumCounts, totalTokens } from '../usage/counts.ts'
import { readUsage } from '../usage/read.ts'
import { FACTS, MODELS, RESPONSE_IDS, SPAN_KINDS, type SpanKind, TOOL_NAMES } from './names.ts'
import { type Span, textOf, textsOf } from './span.ts'

/** Tokens that one model used. */
export interface ModelUse {
  /** Names that the model goes by: as requested, as it answered. */
  readonly models: readonly string[]
  readonly provider: string | undefined
  readonly counts: TokenCounts
  /** The name that it answered by. */
  readonly served?: string | undefined
}

/** A call of a model without counts. */
export type Bare = Pick<Part, 'models' | 'startMs' | 'endMs'>

/** The same as one span tells it. */
export interface Part extends ModelUse {
  /** The instrumentation that tells it. */
  readonly scope?: string | undefined
  /** The provider's id of the answer. */
  readonly responseId: string | undefined
  /** Epoch milliseconds. */
  readonly startMs: number
  readonly endMs: number
}

/**
 * Whether a run may begin with a span: an agent or a workflow, or whatever begins its trace and names its release.
 */
export function isRunLike({ attributes, parentId }: Pick<Span, 'parentId'> & WithAttributes): boolean {
  if (parentId === undefined && FACTS.release_id.some(name => name in attributes)) return true
  return isOf('agent', { attributes })
}

/**
 * Whether a span begins its trace in a process whose resource names its release: where such a process has no agent spans,
 * its model calls make a run of that span.
 */
export function isRunByResource({ parentId, resource }: Span): boolean {
  return parentId === undefined && FACTS.release_id.some(name => name in resource)
}

/** Whether a span is one call of a model. A source that doesn't say so is found by its token counts alone. */
export function isCall(span: WithAttributes): boolean {
  return isOf('call', span)
}

/** The tool that a span is one call of, if it is one and says which. */
export function toolOf(span: Span): string | undefined {
  return isOf('tool', span) ? textOf(span, TOOL_NAMES) : undefined
}

function isOf(kind: SpanKind, { attributes }: WithAttributes): boolean {
  return KINDS.some(([name, kinds]) => kinds[kind]?.includes(attributes[name] as string))
}

const KINDS = Object.entries(SPAN_KINDS)

interface WithAttributes {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Whether a span itself reports tokens. */
export function reportsTokens({ attributes }: WithAttributes): boolean {
  return usageIn(attributes).some(isCount)
}

/** A total alone is of no use. */
function isCount([name, value]: readonly [name: string, value: unknown]): boolean {
  return Boolean(value) && !/^total/i.test(name)
}

/**
 * The tokens that a span itself reports; undefined without any. Throws UsageError where they can't be. Of a call that broke
 * off the output may be missing.
 */
export function ownPart(span: Span, isBroken = false): Part | undefined {
  const { attributes } = span
  const usage = usageIn(attributes)
  if (!usage.some(isCount)) return undefined
  const provider = textOf(span, MODELS.provider)
  const models = modelsOf(span)
  const isEmbedding = EMBEDDINGS.has(
    attributes['gen_ai.operation.name'] ?? attributes['openinference.span.kind'],
  )
  const source = sourceOf(span.scope, attributes, { provider, model: models.join(' ') })
  const counts = readUsage(source, isEmbedding || isBroken ? [...usage, ['output', 0]] : usage)
  return {
    models,
    provider,
    counts,
    scope: span.scope,
    served: textOf(span, MODELS.answered),
    responseId: textOf(span, RESPONSE_IDS),
    startMs: span.endMs - span.latencyMs,
    endMs: span.endMs,
  }
}

/** What has no output. */
const EMBEDDINGS: ReadonlySet<unknown> = new Set(['embeddings', 'EMBEDDING'])

/** Names that the model of a span goes by. */
export function modelsOf(span: Span): string[] {
  return textsOf(span, MODEL_NAMES)
}

const MODEL_NAMES = [...MODELS.requested, ...MODELS.answered]

/** What a span used with all below it: no call is in it twice. */
export interface Used {
  readonly parts: readonly Part[]
  readonly total: number
  /** Where the parts are that may be of one call, by `keysOf`. */
  readonly places?: ReadonlyMap<string, readonly number[]>
  /** How many calls agree with another one in time, model and counts, and no response id says more. */
  readonly lookalikes: number
}

export const NOTHING: Used = { parts: [], total: 0, lookalikes: 0 }

/**
 * Of a span's own tokens and those of its children the ones that are more: frameworks repeat on the agent what the calls
 * of models below it used, so that both together would count double. Where they are as many, the children know more of
 * models and cache.
 */
export function usedBy(own: Part | undefined, below: Used): Used {
  if (own === undefined) return below
  const total = totalTokens(own.counts)
  return total > below.total ? { parts: [own], total, lookalikes: 0 } : below
}

/**
 * All parts in one list: the longest there is, added to, so that spans nested deeply don't take the square of time. Of
 * two parts about the same call the larger one stays, or the one that knows more of the cache: two instrumentations may
 * both tell of it.
 */
export function together(all: readonly Used[]): Used {
  if (all.length <= 1) return all[0] ?? NOTHING
  const [longest, ...others] = all.toSorted((a, b) => b.parts.length - a.parts.length)
  const parts = longest!.parts as Part[]
  const places = (longest!.places ?? new Map()) as Map<string, readonly number[]>
  const put = (part: Part, place: number): void => {
    parts[place] = part
    for (const key of keysOf(part)) {
      places.set(key, [place, ...(places.get(key) ?? []).slice(0, MOST_BEFORE)])
    }
  }
  if (places.size === 0) parts.forEach(put)
  let { total, lookalikes } = longest!
  for (const other of others) {
    lookalikes += other.lookalikes
    for (const part of other.parts) {
      const near = keysOf(part).flatMap(key => places.get(key) ?? [])
      if (near.some(place => resembles(parts[place]!, part))) lookalikes += 1
      const place = near.find(index => isSameCall(parts[index]!, part)) ?? parts.length
      const before = parts[place]?.counts ?? NO_TOKENS
      if (!knowsMore(part.counts, before)) continue
      total += totalTokens(part.counts) - totalTokens(before)
      put(part, place)
    }
  }
  return { parts, total, places, lookalikes }
}

const NO_TOKENS = /* @__PURE__ */ sumCounts([])

/** Most parts of one key before the last that are compared: ids that are not the provider's own may mean anything. */
const MOST_BEFORE = 7

/** Two instrumentations may not both tell the id, nor what of the input a cache gave or took. */
function keysOf(part: Part): string[] {
  const { responseId } = part
  return responseId === undefined ? [sizeOf(part)] : [`=${responseId}`, sizeOf(part)]
}

function sizeOf({ counts: { input_tokens, cached_input_tokens, output_tokens } }: Part): string {
  return `${input_tokens + cached_input_tokens} ${output_tokens}`
}

/** Some servers give an id again: with other counts and at another time it is another call. */
function isSameCall(a: Part, b: Part): boolean {
  const isOne = a.responseId !== undefined && a.responseId === b.responseId
  if (isOne) return overlapOf(a, b) >= 0 || sizeOf(a) === sizeOf(b)
  // One scope reports a call once.
  return a.scope !== b.scope && resembles(a, b)
}

function knowsMore(a: TokenCounts, b: TokenCounts): boolean {
  return (totalTokens(a) - totalTokens(b) || cacheOf(a) - cacheOf(b)) > 0
}

/** Tokens that a cache gave or took. */
export function cacheOf({ cached_input_tokens, cache_write_input_tokens }: TokenCounts): number {
  return cached_input_tokens + cache_write_input_tokens
}

/** Whether only counts and time could tell two calls apart. */
function resembles(a: Part, b: Part): boolean {
  const isApart = a.responseId !== undefined && b.responseId !== undefined
  return !isApart && overlapOf(a, b) >= SAME_TIME && a.models.some(name => b.models.includes(name))
}

/** Most calls without counts of which a sibling is looked for. */
const MOST_BARE = 100
/** No model answers sooner, ms; on a busy machine what prepares a call takes longer, and ends where that begins. */
const SHORTEST_MS = 5
const LONGEST_HELPER_MS = 50
/** Share of the longer of two spans that both must have in common to be about one call. */
export const SAME_TIME = 0.9

/**
 * How many calls without counts have a sibling of the same model that reports them, each another one: it is of the same
 * time, or one of the two is too short to be a call, as a helper that prepares it or a log behind its stream.
 */
export function countedBySibling(bare: readonly Bare[], calls: readonly Part[]): number {
  if (bare.length === 0 || bare.length > MOST_BARE) return 0
  const left = new Set(calls)
  for (const one of bare) {
    for (const call of left) {
      if (!isAboutOne(one, call) || !one.models.some(name => call.models.includes(name))) continue
      left.delete(call)
      break
    }
  }
  return calls.length - left.size
}

function isAboutOne(bare: Bare, call: Bare): boolean {
  const [ofBare, ofCall] = [bare.endMs - bare.startMs, call.endMs - call.startMs]
  const longer = Math.max(ofBare, ofCall)
  if (Math.min(ofBare, ofCall) < SHORTEST_MS && longer >= SHORTEST_MS) return true
  const isHelper = ofBare < LONGEST_HELPER_MS && Math.abs(call.startMs - bare.endMs) <= SHORTEST_MS
  if (isHelper && ofCall > ofBare) return true
  return overlapOf(bare, call) >= SAME_TIME
}

/** What two times have in common, as a share of the longer one; 0 or less where one begins when the other has ended. */
export function overlapOf(a: Pick<Bare, 'startMs' | 'endMs'>, b: Pick<Bare, 'startMs' | 'endMs'>): number {
  const longer = Math.max(a.endMs - a.startMs, b.endMs - b.startMs)
  return (Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)) / Math.max(longer, 1)
}
