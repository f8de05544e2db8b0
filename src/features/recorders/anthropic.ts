import type { ModelCall, RunRecord } from './run.ts'
import { type Counting, type Resource, countCreate } from './stainless.ts'
import type { Tap } from './tap.ts'
import { type AnthropicMessage, UsageError, anthropicMessage } from './usage.ts'

/** What is used of a client of the package `@anthropic-ai/sdk`. */
export interface AnthropicClient {
  withOptions(options: { readonly timeout?: number }): this
  readonly messages: object
  readonly beta?: { readonly messages?: object }
}

/**
 * A copy of an Anthropic client whose messages are counted in a run, streamed or not, also those of its helpers `stream`
 * and `parse`. Other resources work, and are not counted. Experimental.
 */
export function countedAnthropic<C extends AnthropicClient>(client: C, run: RunRecord): C {
  const copy = client.withOptions({})
  const counting: Counting = {
    begin: ({ model }) => run.call('anthropic', model),
    answered: (answer: ModelMessage, call) =>
      call.counted(note => anthropicMessage(answer, note), answer.model),
    stream: messageStream,
  }
  for (const messages of [copy.messages, copy.beta?.messages]) {
    if (messages !== undefined) countCreate(messages as Resource, counting)
  }
  return copy
}

type Usage = AnthropicMessage['usage']
type ModelMessage = AnthropicMessage & { readonly model?: string }

/** Counts come at the start, and again, cumulative, with each `message_delta`. */
function messageStream(
  call: ModelCall,
): Tap<{ readonly message?: ModelMessage; readonly usage?: Usage | null }> {
  let [usage, model]: [Partial<Usage>, string | undefined] = [{}, undefined]
  let isWhole = false
  return {
    item: ({ message, usage: later }) => {
      model ??= message?.model
      isWhole ||= later != null
      usage = { ...usage, ...given(message?.usage), ...given(later) }
    },
    end: () =>
      call.counted(note => {
        if (Object.keys(usage).length === 0) throw new UsageError('the stream has no usage')
        const counts = anthropicMessage({ usage }, note)
        if (isWhole) return counts
        throw new UsageError('the stream broke off: read it to its end', counts)
      }, model),
  }
}

function given(usage: Usage | null | undefined): Partial<Usage> {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, count]) => count != null))
}
