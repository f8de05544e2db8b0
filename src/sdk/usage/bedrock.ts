import { type TokenCounts, countsOf, present } from './counts.ts'

/** What is read of a response of Converse, or of the `metadata` that ends a ConverseStream. */
export interface BedrockConverse {
  readonly usage?:
    | {
        readonly inputTokens: number | undefined
        readonly outputTokens: number | undefined
        readonly cacheReadInputTokens?: number | undefined
        readonly cacheWriteInputTokens?: number | undefined
      }
    | undefined
}

/** Amazon Bedrock, Converse and ConverseStream. Its input tokens are those outside of the cache. Throws UsageError. */
export function bedrockConverse({ usage }: BedrockConverse): TokenCounts {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = present(
    usage,
    'of a stream, read its `metadata`',
  )
  return countsOf({
    input: inputTokens,
    read: cacheReadInputTokens,
    written: cacheWriteInputTokens,
    output: outputTokens,
    isInclusive: false,
  })
}
