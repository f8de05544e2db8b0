import type { ModelCall, RunRecord } from './run.ts'
import { type Params, type Counting, type Resource, countCreate } from './stainless.ts'
import type { Tap } from './tap.ts'
import { type OpenAIChat, type OpenAIResponse, openaiChat, openaiResponse } from './usage.ts'

/** What is used of a client of the package `openai`, version 5 and later. */
export interface OpenAIClient {
  withOptions(options: { readonly timeout?: number }): this
  readonly chat: { readonly completions: object }
  readonly responses?: object
}

/**
 * A copy of an OpenAI client whose chat completions and responses are counted in a run, streamed or not, also those of
 * its helpers `parse`, `stream` and `runTools`. Other resources work, and are not counted. Experimental.
 */
export function countedOpenAI<C extends OpenAIClient>(client: C, run: RunRecord): C {
  const copy = client.withOptions({})
  const begin = ({ model }: Params): ModelCall => run.call('openai', model)
  countCreate(copy.chat.completions as Resource, { ...CHAT, begin })
  if (copy.responses !== undefined) countCreate(copy.responses as Resource, { ...RESPONSES, begin })
  return copy
}

type WithModel<T> = T & { readonly model?: string }

const CHAT: Omit<Counting, 'begin'> = {
  ask: params =>
    params.stream === true && !asksForUsage(params)
      ? {
          ...params,
          stream_options: { ...(params.stream_options as object | undefined), include_usage: true },
        }
      : params,
  answered: (answer: WithModel<OpenAIChat>, call) =>
    call.counted(note => openaiChat(answer, note), answer.model),
  stream: chatStream,
}

function asksForUsage({ stream_options }: Params): boolean {
  return (stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
}

/** The chunk with the usage has no choices; a program that didn't ask for it doesn't expect it. */
function chatStream(call: ModelCall, params: Params): Tap<WithModel<OpenAIChat> & { choices?: unknown[] }> {
  let last: WithModel<OpenAIChat> = {}
  return {
    item: chunk => {
      if (chunk.usage == null) return true
      last = chunk
      return asksForUsage(params) || chunk.choices?.length !== 0
    },
    end: () => call.counted(note => openaiChat(last, note), last.model),
  }
}

const RESPONSES: Omit<Counting, 'begin'> = {
  answered: (answer: WithModel<OpenAIResponse>, call) =>
    call.counted(note => openaiResponse(answer, note), answer.model),
  stream: responseStream,
}

function responseStream(call: ModelCall): Tap<{ readonly response?: WithModel<OpenAIResponse> }> {
  let last: WithModel<OpenAIResponse> = {}
  return {
    item: ({ response }) => {
      if (response?.usage != null) last = response
    },
    end: () => call.counted(note => openaiResponse(last, note), last.model),
  }
}
