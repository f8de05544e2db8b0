import { type TokenCounts, UsageError, countsOf, present, sumCounts } from './counts.ts'

/** What is read of a message of LangChain.js. */
export interface LangChainMessage {
  readonly usage_metadata?:
    | {
        readonly input_tokens: number
        readonly output_tokens: number
        readonly total_tokens?: number | undefined
        readonly input_token_details?:
          | { readonly cache_read?: number | undefined; readonly cache_creation?: number | undefined }
          | undefined
      }
    | undefined
}

/**
 * LangChain.js, one message of a model. Some integrations leave thoughts out of the output tokens, but not out of the
 * total; some leave the cache out of the input tokens. Throws UsageError.
 */
export function langchainMessage({ usage_metadata }: LangChainMessage): TokenCounts {
  const usage = present(usage_metadata, 'ask the model for it, such as with `streamUsage: true`')
  const { input_tokens, output_tokens, total_tokens = 0, input_token_details = {} } = usage
  const { cache_read = 0, cache_creation = 0 } = input_token_details
  const isInclusive = input_tokens >= cache_read + cache_creation
  const unexplained = total_tokens - input_tokens - (isInclusive ? 0 : cache_read + cache_creation)
  return countsOf({
    input: input_tokens,
    read: cache_read,
    written: cache_creation,
    output: output_tokens == null ? output_tokens : Math.max(output_tokens, unexplained),
    isInclusive,
  })
}

/**
 * LangChain.js, all messages that models wrote in a run, such as `result.messages` of an agent; those of others have no
 * usage. Throws UsageError where none has.
 */
export function langchainMessages(messages: readonly LangChainMessage[]): TokenCounts {
  const counted = messages.filter(message => message.usage_metadata != null)
  if (counted.length === 0) throw new UsageError('no message has usage_metadata')
  return sumCounts(counted.map(langchainMessage))
}
