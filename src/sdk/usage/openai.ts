import { type TokenCounts, countsOf, present } from './counts.ts'

/** What is read of a chat completion, or of the last chunk of a streamed one. */
export interface OpenAIChat {
  readonly usage?:
    | {
        readonly prompt_tokens: number
        readonly completion_tokens: number
        readonly prompt_tokens_details?:
          | {
              readonly cached_tokens?: number | null | undefined
              readonly cache_write_tokens?: number | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
}

/** OpenAI, POST /v1/chat/completions, and whoever else speaks it. Throws UsageError. */
export function openaiChat({ usage }: OpenAIChat): TokenCounts {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = present(
    usage,
    'ask for streams with `stream_options: { include_usage: true }` and read their last chunk',
  )
  return countsOf({
    input: prompt_tokens,
    read: prompt_tokens_details?.cached_tokens,
    written: prompt_tokens_details?.cache_write_tokens,
    output: completion_tokens,
    isInclusive: true,
  })
}

/** What is read of a response, or of that in a stream's `response.completed`. */
export interface OpenAIResponse {
  readonly usage?:
    | {
        readonly input_tokens: number
        readonly output_tokens: number
        readonly input_tokens_details?:
          | {
              readonly cached_tokens?: number | null | undefined
              readonly cache_write_tokens?: number | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
}

/** OpenAI, POST /v1/responses. Throws UsageError. */
export function openaiResponse({ usage }: OpenAIResponse): TokenCounts {
  const { input_tokens, output_tokens, input_tokens_details } = present(
    usage,
    'of a stream, read the response of its `response.completed`',
  )
  return countsOf({
    input: input_tokens,
    read: input_tokens_details?.cached_tokens,
    written: input_tokens_details?.cache_write_tokens,
    output: output_tokens,
    isInclusive: true,
  })
}
