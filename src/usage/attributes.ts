import { type Kind, kindOf, remembering } from './names.ts'
import type { Source } from './sources.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Beginnings of the attributes of a span that hold numbers of usage. */
const SPACE =
  /^(?:gen_ai\.usage|ai\.(?:usage|response\.providerMetadata)|llm\.(?:usage|token_count)|langfuse\.observation\.usage_details|(?:langsmith\.)?metadata\.usage(?:_metadata)?|genkit:output\.usage|mlflow\.chat\.tokenUsage)\./

/** Other names of numbers that cost money, and those that are limits or rates. */
const SPEAKS = /usage\.|token_?count|tokens$|cost/i
export const COUNTED = /token|cache|reason|thought|audio|cost/i
export const NO_COUNT = /request|max|limit|budget|second|time/i

function classified(attribute: string): Kind | 'unread' | undefined {
  const name = attribute.replace(SPACE, '')
  const kind = kindOf(name)
  if (kind === 'part') return undefined
  if (name !== attribute && kind !== undefined) return kind
  if (name === attribute && !SPEAKS.test(attribute)) return undefined
  return COUNTED.test(attribute) && !NO_COUNT.test(attribute) ? 'unread' : undefined
}

/** What a number of an attribute counts: `unread` for one that speaks of tokens or cost and isn't known. */
export const usageOf = remembering(classified)

/** Kinds of numbers that no price table has a price for: what is written to a cache has one price. */
export const isUnpriced = (kind: ReturnType<typeof classified>): boolean => kind === 'unread' || kind === '1h'

/** What to say of such a number. */
export const unreadText = (name: string): string => `${name} is not read, and has no price`

/** The numbers of usage of a span, by name. */
export function usageIn(attributes: Attributes): [name: string, value: unknown][] {
  return Object.entries(attributes).flatMap(([attribute, value]) => {
    const kind = usageOf(attribute)
    return kind === undefined || kind === 'unread' ? [] : [[attribute.replace(SPACE, ''), value]]
  })
}

/** Maps that somebody else filled: with one entry per token, or nested as OpenAI's. */
const LANGFUSE = 'langfuse.observation.usage_details.'

/** What wrote the numbers of a span. */
export function sourceOf(
  scope: string | undefined,
  attributes: Attributes,
  of: Omit<Source, 'scope'>,
): Source {
  const map = Object.keys(attributes).filter(name => name.startsWith(LANGFUSE))
  if (map.length === 0) return { ...of, scope }
  const found = map.some(name => name.includes('_details.', LANGFUSE.length)) ? 'map:openai' : 'map:langfuse'
  return { ...of, scope: found }
}
