import { withMethods } from './tap.ts'
import type { RunRecord } from './run.ts'
import { quietly } from './tap.ts'
import { type AiSdkResult, aiSdk } from './usage.ts'

/** What is used of a model of AI SDK 5 to 7 (its specification versions 2 to 4). */
export interface AiSdkModel {
  readonly provider: string
  readonly modelId: string
  doGenerate(...args: never): PromiseLike<unknown>
  doStream(...args: never): PromiseLike<unknown>
}

type Answered = AiSdkResult

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
        call.counted(note => aiSdk(answer, note))
        return answer
      } catch (error) {
        call.failed(error)
        throw error
      }
    },
    doStream: async (...args: never) => {
      const call = run.call(model.provider, model.modelId)
      try {
        const answer = (await model.doStream(...args)) as Streamed
        const stream = withLast(answer.stream, last => call.counted(note => aiSdk(last ?? {}, note)))
        return { ...answer, stream }
      } catch (error) {
        call.failed(error)
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
