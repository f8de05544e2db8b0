import { type TokenCounts, countsOf, present } from './counts.ts'

/** What is read of the result of `run`, once it is complete. */
export interface OpenAIAgentsResult {
  readonly state: {
    readonly usage: {
      readonly inputTokens: number
      readonly outputTokens: number
      /** One entry per request. */
      readonly inputTokensDetails: readonly Readonly<Record<string, number>>[]
    }
  }
}

/** OpenAI Agents SDK, all requests of a run. Throws UsageError. */
export function openaiAgents({ state }: OpenAIAgentsResult): TokenCounts {
  const { inputTokens, outputTokens, inputTokensDetails } = present(
    state?.usage,
    'of a stream, await its `completed` first',
  )
  const sum = (name: string): number =>
    inputTokensDetails.reduce((total, details) => total + (details[name] ?? 0), 0)
  return countsOf({
    input: inputTokens,
    read: sum('cached_tokens'),
    written: sum('cache_write_tokens'),
    output: outputTokens,
    isInclusive: true,
  })
}
