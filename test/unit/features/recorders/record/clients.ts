import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, tool as agentTool } from '@openai/agents'
import * as ai7 from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll } from 'vitest'
import { countedModel } from '../../../../../src/features/recorders/ai_sdk.ts'
import { countedAnthropic } from '../../../../../src/features/recorders/anthropic.ts'
import { countedOpenAI } from '../../../../../src/features/recorders/openai.ts'
import { countedModels } from '../../../../../src/features/recorders/openai_agents.ts'
import type { RunRecord } from '../../../../../src/features/recorders/record.ts'
import { type FakeProvider, fakeProvider } from '../../../../support/providers/fake_provider.ts'

/** Runs a provider for the tests of a file, of which the clients below ask. */
export function withProvider(): void {
  let provider: FakeProvider
  beforeAll(async () => {
    provider = await fakeProvider()
    url = provider.url
  })
  afterAll(() => provider.close())
}

let url = ''
const providerUrl = (): string => url

/** A use of a client in a run, and what is seen of it. */
export interface Case {
  readonly name: string
  readonly ask: (run: RunRecord) => Promise<unknown>
  readonly model?: string
  /** How many calls of a model the run makes. */
  readonly calls?: number
  readonly answer?: unknown
}

export const gpt = 'gpt-5.6'
export const claude = 'claude-opus-5'
export const content = 'Where is it?'
export const messages = [{ role: 'user' as const, content }]
export const openai = (run: RunRecord) =>
  countedOpenAI(new OpenAI({ baseURL: `${providerUrl()}/v1`, apiKey: 'k', maxRetries: 0 }), run)
export const anthropic = (run: RunRecord) =>
  countedAnthropic(new Anthropic({ baseURL: providerUrl(), apiKey: 'k', maxRetries: 0 }), run)
export const aiModel = (run: RunRecord) =>
  countedModel(createOpenAI({ baseURL: `${providerUrl()}/v1`, apiKey: 'k' })(gpt), run)
export const lookup = ai7.tool({
  inputSchema: ai7.jsonSchema<object>({ type: 'object', properties: {} }),
  execute: () => 'sent',
})
export const chatModel = () =>
  new ChatOpenAI({
    model: gpt,
    apiKey: 'k',
    maxRetries: 0,
    configuration: { baseURL: `${providerUrl()}/v1` },
  })

export async function agentRun(run: RunRecord, isStreamed: boolean): Promise<unknown> {
  const models = new OpenAIProvider({
    openAIClient: new OpenAI({ baseURL: `${providerUrl()}/v1`, apiKey: 'k', maxRetries: 0 }),
    useResponses: true,
  })
  const runner = new Runner({ modelProvider: countedModels(models, run), tracingDisabled: true })
  const parameters = {
    type: 'object' as const,
    properties: { order: { type: 'string' as const } },
    required: ['order'],
    additionalProperties: false as const,
  }
  const tools = [agentTool({ name: 'lookup', description: 'looks up', parameters, execute: () => 'sent' })]
  const agent = new Agent({ name: 'bot', model: gpt, tools })
  if (!isStreamed) return (await runner.run(agent, content)).finalOutput
  const streamed = await runner.run(agent, content, { stream: true })
  await streamed.completed
  return streamed.finalOutput
}

export async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of stream) items.push(item)
  return items
}
