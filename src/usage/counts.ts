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
  /** What is known all the same, say of a stream that broke off. */
  readonly known: TokenCounts | undefined

  constructor(message: string, known?: TokenCounts) {
    super(message)
    this.known = known
  }
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
