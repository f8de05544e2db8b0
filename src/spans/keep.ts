import { usageOf } from '../usage/attributes.ts'
import { numbersIn } from '../usage/names.ts'
import {
  AGENTS,
  CALLS,
  EXCEPTION_TYPE,
  FACTS,
  MODELS,
  NAMED_BY_SPAN,
  RESPONSE_IDS,
  TOOL_CALLS,
  TOOL_NAMES,
} from './names.ts'
import type { AttributeValue } from './span.ts'

/** Longest text that is kept, bytes: what an identifier may have. */
const MAX_BYTES = 512
/** Longest JSON of counts that is read, characters. */
const MAX_JSON_CHARS = 65_536

type Json = Readonly<Record<string, unknown>>

/** Attributes that are JSON with counts in it: what of it is read, and the attribute that its numbers are kept under. */
const JSON_COUNTS: Readonly<Record<string, readonly [as: string, pick: (value: Json) => object]>> = {
  'ai.response.providerMetadata': [
    'ai.usage.details.',
    metadata => Object.assign({}, ...Object.values(metadata).map(own => objectOf(own))) as object,
  ],
  'langfuse.observation.usage_details': ['langfuse.observation.usage_details.', value => value],
  'genkit:output': ['genkit:output.usage.', output => objectOf(output.usage)],
  'mlflow.chat.tokenUsage': ['mlflow.chat.tokenUsage.', value => value],
  'langsmith.metadata.usage_metadata': ['langsmith.metadata.usage_metadata.', value => value],
}

/** The names of all attributes that `keep` takes, but for those of numbers of usage. */
export const KEPT: ReadonlySet<string> = new Set([
  ...[FACTS, MODELS].flatMap(table => Object.values<readonly string[]>(table)).flat(),
  ...Object.keys(AGENTS),
  ...Object.keys(CALLS),
  ...Object.keys(TOOL_CALLS),
  ...TOOL_NAMES,
  ...RESPONSE_IDS,
  ...Object.keys(JSON_COUNTS),
  EXCEPTION_TYPE,
])

/** Whether `keep` may take an attribute. */
export function isKept(name: string): boolean {
  return KEPT.has(name) || usageOf(name) !== undefined
}

/**
 * Takes an attribute that the rule for runs has a use for, and leaves everything else: prompts, answers, arguments. A
 * text that no identifier may be counts as absent.
 */
export function keep(into: Record<string, AttributeValue>, name: string, value: unknown): void {
  if (KEPT.has(name)) {
    const counts = JSON_COUNTS[name]
    if (counts !== undefined) keepJson(into, counts, value)
    else if (typeof value === 'number' || typeof value === 'boolean' || isIdentifier(value)) {
      // MLflow writes each text as JSON.
      into[name] = name.startsWith('mlflow.') ? String(value).replaceAll('"', '') : value
    }
    return
  }
  const usage = usageOf(name)
  if (usage === undefined) return
  // Micrometer, Zipkin and Jaeger have texts alone.
  const number = typeof value === 'string' && /^[\d.]{1,20}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number') return
  if (usage !== 'unread') into[name] = number
  // Price tables have one price for what is written to a cache.
  const isUnpriced = usage === 'unread' || usage === '1h'
  if (isUnpriced && number > 0 && isIdentifier(name)) into[UNREAD] = name
}

/** The attribute that the name of a span is kept as, where its convention names a tool or a model by it. */
export function namedBySpan(attributes: Readonly<Record<string, AttributeValue>>): string | undefined {
  for (const [kind, names] of NAMED) {
    const as = names[String(attributes[kind])]
    if (as !== undefined && attributes[as] === undefined) return as
  }
  return undefined
}

const NAMED = Object.entries(NAMED_BY_SPAN)

/** Keeps the name of a span, if it is needed. */
export function keepName(into: Record<string, AttributeValue>, name: unknown): void {
  const as = namedBySpan(into)
  if (as !== undefined && isIdentifier(name)) into[as] = name
}

/** The name of one number that speaks of usage and isn't read, as an attribute that no source can send. */
export const UNREAD = ''

function keepJson(
  into: Record<string, AttributeValue>,
  [as, pick]: readonly [string, (value: Json) => object],
  value: unknown,
): void {
  if (typeof value !== 'string' || value.length > MAX_JSON_CHARS) return
  for (const [path, number] of Object.entries(numbersIn(pick(parse(value))))) keep(into, as + path, number)
}

function isIdentifier(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_BYTES) return false
  if (value.includes('\0') || !value.isWellFormed()) return false
  return value.length * 3 <= MAX_BYTES || new TextEncoder().encode(value).length <= MAX_BYTES
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
