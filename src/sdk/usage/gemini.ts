import { type TokenCounts, countsOf, present } from './counts.ts'

/** What is read of a response of generateContent, or of the last part of a stream. */
export interface GeminiContent {
  readonly usageMetadata?:
    | {
        readonly promptTokenCount?: number | null | undefined
        readonly toolUsePromptTokenCount?: number | null | undefined
        readonly cachedContentTokenCount?: number | null | undefined
        readonly candidatesTokenCount?: number | null | undefined
        readonly thoughtsTokenCount?: number | null | undefined
      }
    | null
    | undefined
}

/**
 * Gemini, generateContent. Thoughts are billed as output, and are counted beside the candidates; what a tool of Google's
 * gave the model is counted beside the prompt. A response without any text has no candidates. Throws UsageError.
 */
export function geminiContent({ usageMetadata }: GeminiContent): TokenCounts {
  const usage = present(usageMetadata, 'of a stream, read its last part')
  return countsOf({
    input: sum(usage.promptTokenCount, usage.toolUsePromptTokenCount),
    read: usage.cachedContentTokenCount,
    output: sum(usage.candidatesTokenCount ?? 0, usage.thoughtsTokenCount),
    isInclusive: true,
  })
}

/** Of what is not a number, nothing is made: the check of the sum says so. */
function sum(count: number | null | undefined, more: number | null | undefined): number | null | undefined {
  return count == null || more == null ? count : count + more
}
