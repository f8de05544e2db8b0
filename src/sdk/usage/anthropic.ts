import { type TokenCounts, countsOf, present } from './counts.ts'

/** What is read of a message, or of the one that a stream adds up to. */
export interface AnthropicMessage {
  readonly usage: {
    readonly input_tokens: number | null
    readonly cache_read_input_tokens?: number | null | undefined
    readonly cache_creation_input_tokens?: number | null | undefined
    readonly output_tokens: number
  }
}

/** Anthropic, POST /v1/messages. Its input tokens are those outside of the cache. Throws UsageError. */
export function anthropicMessage({ usage }: AnthropicMessage): TokenCounts {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = present(
    usage,
    'of a stream, read its final message',
  )
  return countsOf({
    input: input_tokens,
    read: cache_read_input_tokens,
    written: cache_creation_input_tokens,
    output: output_tokens,
    isInclusive: false,
  })
}
