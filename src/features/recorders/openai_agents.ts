import { withMethods } from './tap.ts'
import type { RunRecord } from './run.ts'
import { tapped } from './tap.ts'
import type { TokenCounts } from '../../usage/counts.ts'
import { type Note, type OpenAIAgentsResult, openaiAgents } from './usage.ts'

interface AgentsResponse {
  readonly usage?: object
  readonly providerData?: { readonly model?: unknown }
}

interface AgentsModel {
  getResponse(...args: never): Promise<unknown>
  getStreamedResponse(...args: never): AsyncIterable<unknown>
}

/** What is used of a ModelProvider of `@openai/agents`. */
export interface AgentsModelProvider {
  getModel(name?: string): unknown
}

/**
 * A ModelProvider whose models are counted in a run: `new Runner({ modelProvider: countedModels(provider, run) })`.
 * Agents must name their models; one that brings a Model of its own goes past any provider. Experimental.
 */
export function countedModels<P extends AgentsModelProvider>(provider: P, run: RunRecord): P {
  const getModel = async (name?: string): Promise<unknown> =>
    countedModel((await provider.getModel(name)) as AgentsModel, name, run)
  return withMethods(provider, { getModel })
}

function countedModel(model: AgentsModel, name: string | undefined, run: RunRecord): AgentsModel {
  return withMethods(model, {
    getResponse: async (...args: never) => {
      const call = run.call('openai', name)
      try {
        const answer = (await model.getResponse(...args)) as AgentsResponse
        call.counted(note => countsOf(answer, note), modelOf(answer))
        return answer
      } catch (error) {
        call.failed(error)
        throw error
      }
    },
    getStreamedResponse: (...args: never) => {
      const call = run.call('openai', name)
      let response: AgentsResponse | undefined
      return tapped(model.getStreamedResponse(...args) as AsyncIterable<StreamEvent>, {
        item: event => {
          if (event.type === 'response_done') response = event.response
        },
        end: () => call.counted(note => countsOf(response, note), modelOf(response)),
      })
    },
  })
}

interface StreamEvent {
  readonly type: string
  readonly response?: AgentsResponse
}

/** The default model has no name in a request. */
function modelOf(response: AgentsResponse | undefined): string | undefined {
  const model = response?.providerData?.model
  return typeof model === 'string' ? model : undefined
}

function countsOf(response: AgentsResponse | undefined, note: Note): TokenCounts {
  return openaiAgents({ state: { usage: response?.usage } } as OpenAIAgentsResult, note)
}
