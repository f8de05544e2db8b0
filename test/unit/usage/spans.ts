import { keep } from '../../../src/spans/keep.ts'
import type { AttributeValue } from '../../../src/spans/span.ts'
import { ownPart } from '../../../src/spans/use.ts'
import { UsageError } from '../../../src/usage/counts.ts'

export type Sent = Readonly<Record<string, string | number>>

/** Tokens by what they cost: input at the full price, read from a cache, written to one, output. */
export type Used = readonly [input: number, read: number, written: number, output: number]

/** What a call of a model counts as by the attributes that a scope sent; or why it is refused. */
export function countedIn(scope: string, sent: Sent): Used | string {
  const attributes: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(sent)) keep(attributes, name, value)
  try {
    const counts = ownPart({ ...SPAN, scope, attributes })?.counts
    if (counts === undefined) return 'no tokens are reported'
    const {
      input_tokens,
      cached_input_tokens: read,
      cache_write_input_tokens: written,
      output_tokens,
    } = counts
    return [input_tokens - written, read, written, output_tokens]
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

const SPAN = {
  traceId: 't',
  spanId: 's',
  parentId: undefined,
  isParentRemote: false,
  endMs: 1,
  latencyMs: 1,
  hasFailed: false,
  exceptionType: undefined,
  resource: {},
}
