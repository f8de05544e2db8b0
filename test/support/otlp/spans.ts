import type { TestSpan } from './exports.ts'

export type Attributes = NonNullable<TestSpan['attributes']>

/** What makes a span an agent's. */
export const AGENT = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'bot' }

/** A call of a model with so many tokens. */
export function call(input: number, output: number, more: Attributes = {}): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'm1',
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...more,
  }
}

export const root = (attributes: Attributes = {}): TestSpan => ({
  id: 1,
  attributes: { ...AGENT, ...attributes },
})
export const child = (id: number, attributes: Attributes, parent = 1): TestSpan => ({
  id,
  parent,
  attributes,
})
