/**
 * What one run used, in the fields and the meaning of a run event, so that it can be spread into `usage.model`.
 * `input_tokens` are those that pay the full input price or more: tokens read from a cache are in
 * `cached_input_tokens` alone, tokens written to one are a part of `input_tokens`.
 */
export interface TokenCounts {
  readonly input_tokens: number
  readonly cached_input_tokens: number
  readonly cache_write_input_tokens: number
  readonly output_tokens: number
}

/** A response does not say what it used, or what it says can't be. Send no event: one of 0 tokens is a free run. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Token counts as a provider has them: `input` holds what `read` and `written` don't, or all with `isInclusive`. */
export interface Reported {
  readonly input: unknown
  readonly read?: unknown
  readonly written?: unknown
  readonly output: unknown
  readonly isInclusive: boolean
}

/** Throws UsageError where a count is missing, is no whole number of 0 or more, or all of them are 0. */
export function countsOf({ input, read, written, output, isInclusive }: Reported): TokenCounts {
  const cached = optional('cached input', read)
  const cacheWrites = optional('cache write', written)
  const given = required('input', input)
  const full = isInclusive ? given - cached : given + cacheWrites
  if (full < cacheWrites) {
    throw new UsageError(
      `${given} input tokens are fewer than the cache's: ${cached} read, ${cacheWrites} written`,
    )
  }
  const counts = {
    input_tokens: full,
    cached_input_tokens: cached,
    cache_write_input_tokens: cacheWrites,
    output_tokens: required('output', output),
  }
  if (totalTokens(counts) === 0) throw new UsageError('no tokens are reported at all')
  return counts
}

/** The sum of several counts; of none it is 0 tokens. */
export function sumCounts(parts: Iterable<TokenCounts>): TokenCounts {
  const sum = { input_tokens: 0, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 0 }
  for (const part of parts) {
    for (const name of Object.keys(sum) as (keyof TokenCounts)[]) sum[name] += part[name]
  }
  return sum
}

/** All input, from a cache or not, and all output. */
export function totalTokens({ input_tokens, cached_input_tokens, output_tokens }: TokenCounts): number {
  return input_tokens + cached_input_tokens + output_tokens
}

/** The usage of a response. Throws UsageError where there is none, with what mends it. */
export function present<T>(usage: T | null | undefined, mend: string): T {
  if (usage == null) throw new UsageError(`the response has no usage; ${mend}`)
  return usage
}

function required(name: string, value: unknown): number {
  if (value == null) throw new UsageError(`the ${name} tokens are not reported`)
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new UsageError(
    `the ${name} tokens must be a whole number of 0 or more (they are ${JSON.stringify(value)})`,
  )
}

function optional(name: string, value: unknown): number {
  return value == null ? 0 : required(name, value)
}
