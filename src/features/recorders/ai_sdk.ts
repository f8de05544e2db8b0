import { withMethods } from './tap.ts'
import type { RunRecord } from './run.ts'
import { quietly } from './tap.ts'
import { type AiSdkUsage, aiSdk } from './usage.ts'
import { type TokenCounts, countsOf, present } from '../../spans/counts.ts'

/** What is used of a model of AI SDK 5 to 7 (its specification versions 2 to 4). */
export interface AiSdkModel {
  readonly provider: string
  readonly modelId: string
  doGenerate(...args: never): PromiseLike<unknown>
  doStream(...args: never): PromiseLike<unknown>
}

interface Answered {
  readonly usage?: ModelUsage
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
}

interface Streamed {
  readonly stream: ReadableStream<Answered & { readonly type: string }>
}

/**
 * A model whose calls are counted in a run, for `generateText`, `streamText`, agents and whatever else takes a model.
 * Experimental.
 */
export function countedModel<M extends AiSdkModel>(model: M, run: RunRecord): M {
  return withMethods(model, {
    doGenerate: async (...args: never) => {
      const call = run.call(model.provider, model.modelId)
      try {
        const answer = (await model.doGenerate(...args)) as Answered
        call.counted(() => modelUsage(answer))
        return answer
      } finally {
        call.failed()
      }
    },
    doStream: async (...args: never) => {
      const call = run.call(model.provider, model.modelId)
      try {
        const answer = (await model.doStream(...args)) as Streamed
        const stream = withLast(answer.stream, last => call.counted(() => modelUsage(last ?? {})))
        return { ...answer, stream }
      } catch (error) {
        call.failed()
        throw error
      }
    },
  })
}

type StreamPart = Answered & { readonly type: string }

/** The same stream; `ended` gets its last part, or undefined where it ends without one. */
function withLast(
  stream: ReadableStream<StreamPart>,
  ended: (last: Answered | undefined) => void,
): ReadableStream<StreamPart> {
  const reader = stream.getReader()
  let last: Answered | undefined
  const end = (): void => quietly(() => ended(last))
  return new ReadableStream<StreamPart>({
    pull: async controller => {
      try {
        const { done, value } = await reader.read()
        if (value?.type === 'finish') last = value
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        end()
        controller.error(error)
      }
    },
    cancel: reason => {
      end()
      return reader.cancel(reason)
    },
  })
}

/** What a model itself reports: since specification version 3 (AI SDK 6) nested, before as the AI SDK shows it. */
type ModelUsage =
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
function modelUsage(answer: {
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
