import { type TokenCounts, countsOf, totalTokens } from '../usage/counts.ts'
import { AGENTS, AI_SDK_DETAILS, AI_SDK_PROVIDER, FACTS, MODELS, TOKENS } from './names.ts'
import { type AttributeValue, type Attributes, type Span, textOf, textsOf } from './span.ts'

/** Tokens that one model used. */
export interface Part {
  /** Names that the model goes by: as it was asked for, as it answered. */
  readonly models: readonly string[]
  readonly provider: string | undefined
  readonly counts: TokenCounts
}

/**
 * Whether a run may begin with a span: an agent or a workflow, or whatever begins its trace and names its release.
 */
export function isRunLike({ attributes, parentId }: Pick<Span, 'parentId'> & WithAttributes): boolean {
  if (parentId === undefined && FACTS.release_id.some(name => name in attributes)) return true
  return AGENT_KINDS.some(([name, kinds]) => kinds.includes(attributes[name] as string))
}

const AGENT_KINDS = Object.entries(AGENTS)

interface WithAttributes {
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The tokens that a span itself reports; undefined without any. Throws UsageError where they can't be. */
export function ownPart(span: Span): Part | undefined {
  const { attributes } = span
  const [input, output] = [countOf(attributes, TOKENS.input), countOf(attributes, TOKENS.output)]
  const [read, written] = [countOf(attributes, TOKENS.read), countOf(attributes, TOKENS.written)]
  if (!input && !output && !read && !written) return undefined
  const isEmbedding = EMBEDDINGS.has(
    attributes['gen_ai.operation.name'] ?? attributes['openinference.span.kind'],
  )
  const total = countOf(attributes, TOKENS.total)
  const reported = [input, read, written, output, total].map(value => Number(value ?? 0))
  const counts = countsOf({
    input,
    read,
    written,
    output: output ?? (isEmbedding ? 0 : undefined),
    isInclusive: isInclusive(reported, attributes),
  })
  return { models: modelsOf(span), provider: textOf(span, MODELS.provider), counts }
}

function countOf(attributes: Attributes, names: readonly string[]): AttributeValue | undefined {
  for (const name of names) {
    const value = attributes[name]
    if (value !== undefined) return value
  }
  return undefined
}

/** What has no output. */
const EMBEDDINGS: ReadonlySet<unknown> = new Set(['embeddings', 'EMBEDDING'])

/** Names that the model of a span goes by. */
export function modelsOf(span: Span): string[] {
  return textsOf(span, MODEL_NAMES)
}

const MODEL_NAMES = [...MODELS.requested, ...MODELS.answered]

/** Whether the input tokens hold those of the cache, as the conventions say; some sources leave them out. */
function isInclusive(
  [input, read, written, output, total]: readonly number[],
  attributes: Span['attributes'],
): boolean {
  const cache = read! + written!
  if (cache === 0) return true
  if (cache > input! || total === input! + output! + cache) return false
  const isAiSdk5 = attributes[AI_SDK_PROVIDER] !== undefined && attributes[AI_SDK_DETAILS] === undefined
  return !(isAiSdk5 && /anthropic|bedrock/.test(String(attributes[AI_SDK_PROVIDER])))
}

/** What a span used with all below it. */
export interface Used {
  readonly parts: readonly Part[]
  readonly total: number
}

/**
 * Of a span's own tokens and those of its children the ones that are more: frameworks repeat on the agent what the calls
 * of models below it used, so that both together would count double. Where they are as many, the children know more of
 * models and cache.
 */
export function usedBy(own: Part | undefined, children: readonly Used[]): Used {
  const below = together(children)
  const ownTotal = own === undefined ? 0 : totalTokens(own.counts)
  return ownTotal > below.total ? { parts: [own!], total: ownTotal } : below
}

/** All parts in one list: the longest there is, added to, so that spans nested deeply don't take the square of time. */
function together(all: readonly Used[]): Used {
  if (all.length === 1) return all[0]!
  const [longest, ...others] = all.toSorted((a, b) => b.parts.length - a.parts.length)
  const parts = (longest?.parts ?? []) as Part[]
  for (const other of others) for (const part of other.parts) parts.push(part)
  return { parts, total: all.reduce((sum, { total }) => sum + total, 0) }
}
