import {
  AGENTS,
  AI_SDK_DETAILS,
  CALLS,
  EXCEPTION_TYPE,
  FACTS,
  MODELS,
  RESPONSE_IDS,
  TOKENS,
  TOOL_CALLS,
  TOOL_NAMES,
} from './names.ts'
import type { AttributeValue } from './span.ts'

/** Longest text that is kept, bytes: what an identifier may have. */
const MAX_BYTES = 512
/** Longest JSON of counts that is read, characters. */
const MAX_JSON_CHARS = 65_536

/** Attributes that are JSON with counts in it, and what becomes of them. */
const JSON_COUNTS: Readonly<Record<string, (value: Json) => Readonly<Record<string, unknown>>>> = {
  'ai.response.providerMetadata': fromProviderMetadata,
  'langfuse.observation.usage_details': fromUsageDetails,
}

/** The names of all attributes that `keep` takes. */
export const KEPT: ReadonlySet<string> = new Set([
  ...[FACTS, MODELS, TOKENS].flatMap(table => Object.values<readonly string[]>(table)).flat(),
  ...Object.keys(AGENTS),
  ...Object.keys(CALLS),
  ...Object.keys(TOOL_CALLS),
  ...TOOL_NAMES,
  ...RESPONSE_IDS,
  ...Object.keys(JSON_COUNTS),
  AI_SDK_DETAILS,
  EXCEPTION_TYPE,
])

/**
 * Takes an attribute that the rule for runs has a use for, and leaves everything else: prompts, answers, arguments. A
 * text that no identifier may be counts as absent.
 */
export function keep(into: Record<string, AttributeValue>, name: string, value: unknown): void {
  if (!KEPT.has(name)) return
  const counts = JSON_COUNTS[name]
  if (counts === undefined) {
    if (typeof value === 'number' || typeof value === 'boolean' || isIdentifier(value)) into[name] = value
    return
  }
  if (typeof value !== 'string' || value.length > MAX_JSON_CHARS) return
  for (const [as, count] of Object.entries(counts(parse(value)))) {
    if (typeof count === 'number') into[as] ??= count
  }
}

function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_BYTES) return false
  if (value.includes('\0') || !value.isWellFormed()) return false
  return value.length * 3 <= MAX_BYTES || new TextEncoder().encode(value).length <= MAX_BYTES
}

type Json = Readonly<Record<string, unknown>>

/** AI SDK 5 tells of the cache nowhere else, but for the reads of streams. */
function fromProviderMetadata(metadata: Json): Json {
  const usage = (provider: string): Json => objectOf(objectOf(metadata[provider]).usage)
  return {
    'ai.usage.cachedInputTokens': usage('anthropic').cache_read_input_tokens,
    'ai.usage.inputTokenDetails.cacheWriteTokens':
      usage('anthropic').cache_creation_input_tokens ??
      usage('bedrock').cacheWriteInputTokens ??
      usage('openai').cacheWriteTokens,
  }
}

/**
 * Langfuse: what its integrations write has one entry per kind of token, and no token in two. Where the total says
 * that `input` and `output` hold the others, it is taken as such.
 */
function fromUsageDetails(details: Json): Json {
  const sums = { plain: 0, read: 0, written: 0, output: 0 }
  for (const [name, count] of Object.entries(details)) {
    if (typeof count === 'number' && name !== 'total') sums[kindOf(name)] += count
  }
  const { input, output, total } = details as Record<string, number | undefined>
  const isInclusive = total !== undefined && total === (input ?? 0) + (output ?? 0)
  return {
    'gen_ai.usage.input_tokens': isInclusive ? input : sums.plain + sums.read + sums.written,
    'gen_ai.usage.cache_read.input_tokens': sums.read,
    'gen_ai.usage.cache_write.input_tokens': sums.written,
    'gen_ai.usage.output_tokens': isInclusive ? output : sums.output,
  }
}

function kindOf(name: string): 'plain' | 'read' | 'written' | 'output' {
  if (/^(?:output|completion)/.test(name)) return 'output'
  if (!name.includes('cache')) return 'plain'
  return /writ|creat/.test(name) ? 'written' : 'read'
}

function parse(text: string): Json {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
