import { sourceOf, usageIn } from '../usage/attributes.ts'
import { type TokenCounts, totalTokens } from '../usage/counts.ts'
import { readUsage } from '../usage/read.ts'
import { AGENTS, CALLS, FACTS, MODELS, RESPONSE_IDS, TOOL_CALLS, TOOL_NAMES } from './names.ts'
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
  return AGENT_KINDS.some(([name, kinds]) => kinds.includes(attributes[name] as string))
}

const AGENT_KINDS = Object.entries(AGENTS)

/**
 * Whether a span begins its trace in a process whose resource names its release: where such a process has no agent spans,
 * its model calls make a run of that span.
 */
export function isRunByResource({ parentId, resource }: Span): boolean {
  return parentId === undefined && FACTS.release_id.some(name => name in resource)
}

/** Whether a span is one call of a model. A source that doesn't say so is found by its token counts alone. */
export function isCall({ attributes }: WithAttributes): boolean {
  return CALL_KINDS.some(([name, kinds]) => kinds.includes(attributes[name] as string))
}

const CALL_KINDS = Object.entries(CALLS)

/** The tool that a span is one call of, if it is one and says which. */
export function toolOf(span: Span): string | undefined {
  const isTool = TOOL_KINDS.some(([name, kinds]) => kinds.includes(span.attributes[name] as string))
  return isTool ? textOf(span, TOOL_NAMES) : undefined
}

const TOOL_KINDS = Object.entries(TOOL_CALLS)

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
  const source = sourceOf(span.scope, attributes, `${provider} ${models.join(' ')}`)
  const counts = readUsage(source, isEmbedding || isBroken ? [...usage, ['output', 0]] : usage)
  return {
    models,
    provider,
    counts,
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
  /** Where the parts of each response id are; absent where none has one. */
  readonly ids?: ReadonlyMap<string, readonly number[]>
}

export const NOTHING: Used = { parts: [], total: 0 }

/**
 * Of a span's own tokens and those of its children the ones that are more: frameworks repeat on the agent what the calls
 * of models below it used, so that both together would count double. Where they are as many, the children know more of
 * models and cache.
 */
export function usedBy(own: Part | undefined, below: Used): Used {
  if (own === undefined) return below
  const total = totalTokens(own.counts)
  if (total <= below.total) return below
  const { responseId } = own
  return { parts: [own], total, ...(responseId === undefined ? {} : { ids: new Map([[responseId, [0]]]) }) }
}

/**
 * All parts in one list: the longest there is, added to, so that spans nested deeply don't take the square of time. Of
 * two parts about the same call the larger one stays: two instrumentations may both tell of it.
 */
export function together(all: readonly Used[]): Used {
  if (all.length <= 1) return all[0] ?? NOTHING
  const [longest, ...others] = all.toSorted((a, b) => b.parts.length - a.parts.length)
  const parts = longest!.parts as Part[]
  const ids = (longest!.ids ?? new Map()) as Map<string, number[]>
  let { total } = longest!
  for (const other of others) for (const part of other.parts) total += put(part, parts, ids)
  return { parts, total, ...(ids.size === 0 ? {} : { ids }) }
}

/** Most parts of one response id that are compared: ids that are not the provider's own may mean anything. */
const MOST_OF_ID = 8

/** Adds a part unless its call is there, and returns by how many tokens that is more. */
function put(part: Part, parts: Part[], ids: Map<string, number[]>): number {
  const size = totalTokens(part.counts)
  const { responseId } = part
  if (responseId !== undefined) {
    const places = ids.get(responseId) ?? []
    const place = places.slice(0, MOST_OF_ID).find(index => isSameCall(parts[index]!, part))
    if (place !== undefined) {
      const more = size - totalTokens(parts[place]!.counts)
      if (more > 0) parts[place] = part
      return Math.max(0, more)
    }
    places.push(parts.length)
    ids.set(responseId, places)
  }
  parts.push(part)
  return size
}

/** Some servers give an id again: with other counts and at another time it is another call. */
function isSameCall(a: Part, b: Part): boolean {
  return (a.startMs <= b.endMs && b.startMs <= a.endMs) || countsKey(a) === countsKey(b)
}

/** How far two spans about one call begin and end apart, ms. */
export const AGREE_MS = 100

/**
 * How many sibling calls look like one that is traced twice: they agree in time, model and counts, and
 * response ids don't tell them apart.
 */
export function lookalikes(calls: readonly Part[]): number {
  if (calls.length < 2) return 0
  let found = 0
  for (const same of Map.groupBy(calls, countsKey).values()) {
    same.sort((a, b) => a.startMs - b.startMs)
    for (const [index, call] of same.entries()) {
      const next = same[index + 1]
      if (next !== undefined && looksLike(call, next)) found += 1
    }
  }
  return found
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

function looksLike(a: Part, b: Part): boolean {
  const isApart = a.responseId !== undefined && b.responseId !== undefined
  const agrees = Math.abs(a.startMs - b.startMs) <= AGREE_MS && Math.abs(a.endMs - b.endMs) <= AGREE_MS
  // One that begins when the other has ended is another call, however short both are.
  const overlaps = b.startMs < a.endMs
  return !isApart && agrees && overlaps && a.models.some(name => b.models.includes(name))
}

function countsKey({ counts }: Part): string {
  const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens } = counts
  return `${input_tokens} ${cached_input_tokens} ${cache_write_input_tokens} ${output_tokens}`
}
