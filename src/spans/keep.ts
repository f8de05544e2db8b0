import { isUnpriced, usageOf } from '../usage/attributes.ts'
import { numbersIn } from '../usage/names.ts'
import {
  EXCEPTION_TYPE,
  FACTS,
  MODELS,
  NAMED_BY_SPAN,
  RESPONSE_IDS,
  SPAN_KINDS,
  TOOL_NAMES,
} from './names.ts'
import type { AttributeValue } from './span.ts'

/** Longest text that is kept, bytes: what an identifier may have. */
const MAX_BYTES = 512
/** Longest JSON of counts that is read, characters. */
const MAX_JSON_CHARS = 65_536

type Json = Readonly<Record<string, unknown>>

/** Attributes that are JSON with counts in it, and what of it is read: its numbers are kept by their path. */
const JSON_COUNTS: Readonly<Record<string, (value: Json) => Json>> = {
  'ai.response.providerMetadata': metadata => ({
    details: Object.assign({}, ...Object.values(metadata).map(own => objectOf(own))) as Json,
  }),
  'genkit:output': ({ usage }) => ({ usage }),
  'langfuse.observation.usage_details': objectOf,
  'langfuse.observation.cost_details': objectOf,
  'mlflow.chat.tokenUsage': objectOf,
  'langsmith.metadata.usage_metadata': objectOf,
}

/** The names of all attributes that `keep` takes, but for those of numbers of usage. */
export const KEPT: ReadonlySet<string> = new Set([
  ...[FACTS, MODELS].flatMap(table => Object.values<readonly string[]>(table)).flat(),
  ...Object.keys(SPAN_KINDS),
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
    if (name in JSON_COUNTS) keepJson(into, name, value)
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
  if (!isUnpriced(usage) || number <= 0) return
  const unread = `${into[UNREAD] ?? ''}${name}\n`
  if (isIdentifier(unread)) into[UNREAD] = unread
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

/** The names of numbers that speak of usage and aren't read, a line each, as an attribute that no source can send. */
export const UNREAD = ''

function keepJson(into: Record<string, AttributeValue>, name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length > MAX_JSON_CHARS) return
  const numbers = numbersIn(JSON_COUNTS[name]!(parse(value)), `${name}.`)
  for (const [path, number] of Object.entries(numbers)) keep(into, path, number)
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
