import type { ModelCall, RunRecord } from './run.ts'
import { quietly } from './tap.ts'
import { UsageError, sumCounts } from '../../usage/counts.ts'
import { type LangChainMessage, type Note, langchainMessage } from './usage.ts'

/** A handler of LangChain.js callbacks that counts calls of models. */
export interface CountingCallbacks {
  readonly name: string
  /** Whether LangChain waits for the methods: otherwise a run could end before its calls are counted. */
  readonly awaitHandlers: true
  handleLLMStart(...args: StartArgs): void
  handleChatModelStart(...args: StartArgs): void
  handleLLMEnd(output: unknown, runId: string): void
  handleLLMError(error: unknown, runId: string): void
  copy(): CountingCallbacks
}

type StartArgs = readonly [
  model: unknown,
  prompts: unknown,
  runId: string,
  parentRunId?: string,
  extra?: Readonly<Record<string, unknown>>,
  tags?: string[],
  metadata?: Readonly<Record<string, unknown>>,
  runName?: string,
]

/** Counts the calls of models below `invoke(input, { callbacks: [countingCallbacks(run)] })` in a run. Experimental. */
export function countingCallbacks(run: RunRecord): CountingCallbacks {
  const calls = new Map<string, ModelCall>()
  const start = (...[, , runId, , extra, , metadata]: StartArgs): void => {
    quietly(() => calls.set(runId, run.call(providerOf(metadata), modelOf(extra, metadata))))
  }
  const handler: CountingCallbacks = {
    name: 'release_governance',
    awaitHandlers: true,
    handleLLMStart: start,
    handleChatModelStart: start,
    handleLLMEnd: (output, runId) => {
      calls.get(runId)?.counted(note => countsOf(output, note))
      calls.delete(runId)
    },
    handleLLMError: (error, runId) => {
      calls.get(runId)?.failed(error)
      calls.delete(runId)
    },
    copy: () => handler,
  }
  return handler
}

function providerOf({ ls_provider }: Readonly<Record<string, unknown>> = {}): string | undefined {
  return typeof ls_provider === 'string' ? ls_provider : undefined
}

function modelOf(
  extra: Readonly<Record<string, unknown>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): unknown {
  const params = (extra.invocation_params ?? {}) as {
    readonly model?: unknown
    readonly model_name?: unknown
  }
  return params.model ?? params.model_name ?? metadata.ls_model_name
}

interface Generation {
  readonly message?: LangChainMessage
}

/** Each prompt has a list of generations, of which the first holds the usage of the request. */
function countsOf(output: unknown, note: Note) {
  const { generations = [] } = (output ?? {}) as { readonly generations?: readonly (readonly Generation[])[] }
  const messages = generations.map(([first]) => first?.message)
  if (messages.length === 0) throw new UsageError('a model of LangChain answered without a message')
  return sumCounts(messages.map(message => langchainMessage(message ?? {}, note)))
}
