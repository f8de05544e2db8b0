import { type AiSdkUsage, aiSdk } from '../usage/ai_sdk.ts'
import { type TokenCounts, countsOf, present } from '../usage/counts.ts'

/** What a model itself reports: since specification version 3 (AI SDK 6) nested, before as the AI SDK shows it. */
export type ModelUsage =
  | AiSdkUsage
  | {
      readonly inputTokens: {
        readonly total?: number | undefined
        readonly noCache?: number | undefined
        readonly cacheRead?: number | undefined
        readonly cacheWrite?: number | undefined
      }
      readonly outputTokens: { readonly total?: number | undefined }
    }

/** The tokens of one call. Throws UsageError. */
export function modelUsage(answer: {
  readonly usage?: ModelUsage
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
}): TokenCounts {
  const usage = present(answer.usage, 'the provider did not report it, or the stream was not read to its end')
  if (!isNested(usage)) return aiSdk({ usage, providerMetadata: answer.providerMetadata })
  const { total, noCache, cacheRead, cacheWrite } = usage.inputTokens
  return countsOf({
    input: noCache ?? total,
    read: cacheRead,
    written: cacheWrite,
    output: usage.outputTokens.total,
    isInclusive: noCache === undefined,
  })
}

function isNested(usage: ModelUsage): usage is Exclude<ModelUsage, AiSdkUsage> {
  return typeof usage.inputTokens === 'object' && usage.inputTokens !== null
}
