import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { VECTOR } from '../../support/providers/vector.ts'
import { scaled } from '../../support/scale.ts'
import { readExport } from '../../../src/features/traces/body.ts'
import { keep } from '../../../src/spans/keep.ts'
import type { AttributeValue } from '../../../src/spans/span.ts'
import { type Sent, countedIn } from './spans.ts'

/** What a call used: input at the full price, and output without reasoning, each apart from the others. */
interface Call {
  readonly plain: number
  readonly read: number
  readonly written: number
  readonly text: number
  readonly reasoning: number
}

interface Encoding {
  readonly scope: string
  readonly encode: (call: Call) => Sent
  /** A recorded export that has such a span. */
  readonly fixture?: string
  /** One of a client that has such a span. */
  readonly client?: string
  /** What the source leaves out is 0 in its calls. */
  readonly lacks?: readonly (keyof Call)[]
}

const gen = (input: number, output: number, { read, written }: Call): Sent => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
  'gen_ai.usage.cache_read.input_tokens': read,
  'gen_ai.usage.cache_creation.input_tokens': written,
})
const all = ({ plain, read, written }: Call): number => plain + read + written
const spent = ({ text, reasoning }: Call): number => text + reasoning
const BEDROCK = { 'gen_ai.system': 'aws.bedrock' }
const CLAUDE = { 'gen_ai.request.model': 'claude-opus-5' }

/** How sources write usage down; the models are those that differ most from the conventions. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'AI SDK 7': {
    scope: 'gen_ai',
    encode: call => gen(all(call), spent(call), call),
    fixture: 'ai_sdk_7.json',
  },
  'AI SDK 6': {
    scope: 'ai',
    fixture: 'ai_sdk_6_anthropic.json',
    encode: call => ({
      'ai.model.provider': 'anthropic.messages',
      'ai.usage.inputTokens': all(call),
      'ai.usage.inputTokenDetails.noCacheTokens': call.plain,
      'ai.usage.inputTokenDetails.cacheReadTokens': call.read,
      'ai.usage.inputTokenDetails.cacheWriteTokens': call.written,
      'ai.usage.outputTokens': spent(call),
      'ai.usage.totalTokens': all(call) + spent(call),
    }),
  },
  'AI SDK 5, Anthropic': {
    scope: 'ai',
    fixture: 'ai_sdk_5_anthropic.json',
    lacks: ['written'],
    encode: call => ({
      'ai.model.provider': 'anthropic.messages',
      'ai.usage.inputTokens': call.plain,
      'ai.usage.outputTokens': spent(call),
      'ai.usage.totalTokens': call.plain + spent(call),
      'ai.usage.cachedInputTokens': call.read,
    }),
  },
  'AI SDK 5, Google': {
    scope: 'ai',
    lacks: ['written'],
    encode: call => ({
      'ai.model.provider': 'google.generative-ai',
      'ai.usage.inputTokens': all(call),
      'ai.usage.outputTokens': call.text,
      'ai.usage.reasoningTokens': call.reasoning,
      'ai.usage.totalTokens': all(call) + spent(call),
      'ai.usage.cachedInputTokens': call.read,
    }),
  },
  'the SDK of Anthropic': {
    scope: 'com.anthropic.sdk.typescript',
    fixture: 'anthropic.json',
    encode: call => ({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.usage.input_tokens': all(call),
      'gen_ai.usage.cache_write.input_tokens': call.written,
      'gen_ai.usage.cache_read.input_tokens': call.read,
      'gen_ai.usage.output_tokens': spent(call),
    }),
  },
  botocore: {
    scope: 'opentelemetry.instrumentation.botocore.bedrock-runtime',
    client: 'otel_py_botocore',
    encode: call => ({ ...BEDROCK, ...gen(call.plain, spent(call), call) }),
  },
  'OpenLLMetry bedrock': {
    scope: 'opentelemetry.instrumentation.bedrock',
    client: 'openllmetry_py_bedrock',
    encode: call => ({
      ...BEDROCK,
      ...gen(call.plain, spent(call), call),
      'gen_ai.usage.total_tokens': call.plain + spent(call),
    }),
  },
  'OpenLLMetry anthropic': {
    scope: 'opentelemetry.instrumentation.anthropic',
    client: 'openllmetry_py_anthropic',
    encode: call => ({
      ...CLAUDE,
      ...gen(all(call), spent(call), call),
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'OpenLLMetry google': {
    scope: 'opentelemetry.instrumentation.google_generativeai',
    client: 'openllmetry_py_google',
    lacks: ['written'],
    encode: call => ({
      'gen_ai.request.model': 'gemini-3-flash',
      'gen_ai.usage.input_tokens': all(call),
      'gen_ai.usage.output_tokens': call.text,
      'gen_ai.usage.cache_read.input_tokens': call.read,
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  Strands: {
    scope: 'strands.telemetry.tracer',
    encode: call => ({
      ...CLAUDE,
      ...gen(call.plain, spent(call), call),
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'OpenLIT, Anthropic': {
    scope: 'openlit.instrumentation.anthropic',
    client: 'openlit_anthropic',
    encode: call => ({ ...CLAUDE, ...gen(call.plain, spent(call), call) }),
  },
  'OpenInference openai': {
    scope: '@arizeai/openinference-instrumentation-openai',
    fixture: 'openinference_openai.json',
    lacks: ['written'],
    encode: call => ({
      'llm.token_count.prompt': all(call),
      'llm.token_count.completion': spent(call),
      'llm.token_count.total': all(call) + spent(call),
      'llm.token_count.prompt_details.cache_read': call.read,
      'llm.token_count.completion_details.reasoning': call.reasoning,
    }),
  },
  'OpenInference bedrock': {
    scope: 'openinference.instrumentation.bedrock',
    client: 'openinference_py_bedrock',
    encode: call => ({
      'llm.model_name': 'anthropic.claude-opus-5',
      'llm.token_count.prompt': all(call),
      'llm.token_count.completion': spent(call),
      'llm.token_count.total': all(call) + spent(call),
      'llm.token_count.prompt_details.cache_read': call.read,
      'llm.token_count.prompt_details.cache_write': call.written,
    }),
  },
  'Strands on OpenAI': {
    scope: 'strands.telemetry.tracer',
    client: 'strands_openai',
    encode: call => ({
      ...gen(all(call), spent(call), call),
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  BeeAI: {
    scope: 'openinference.instrumentation.beeai',
    client: 'openinference_py_beeai',
    encode: call => ({
      'llm.provider': 'openai',
      'llm.token_count.prompt': all(call),
      'llm.token_count.completion': spent(call),
      'llm.token_count.total': all(call) + spent(call),
      'metadata.usage.cached_prompt_tokens': call.read,
    }),
    lacks: ['written'],
  },
  'a service that states reasoning beside output': {
    scope: 'gen_ai',
    encode: call => ({
      'gen_ai.request.model': 'grok-4.20',
      ...gen(all(call), call.text, call),
      'gen_ai.usage.reasoning.output_tokens': call.reasoning,
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'Langfuse, one entry per kind': {
    scope: 'langfuse-sdk',
    encode: call => ({
      'langfuse.observation.usage_details': JSON.stringify({
        input: call.plain,
        output: call.text,
        total: all(call) + spent(call),
        input_cached_tokens: call.read,
        input_cache_write_tokens: call.written,
        output_reasoning_tokens: call.reasoning,
      }),
    }),
  },
  'Langfuse, as OpenAI': {
    scope: 'langfuse-sdk',
    client: 'langfuse_py_openai',
    lacks: ['written'],
    encode: call => ({
      'langfuse.observation.usage_details': JSON.stringify({
        prompt_tokens: all(call),
        completion_tokens: spent(call),
        total_tokens: all(call) + spent(call),
        prompt_tokens_details: { cached_tokens: call.read },
        completion_tokens_details: { reasoning_tokens: call.reasoning },
      }),
    }),
  },
  'Spring AI': {
    scope: 'org.springframework.boot',
    lacks: ['read', 'written'],
    encode: call => ({
      'gen_ai.usage.input_tokens': String(all(call)),
      'gen_ai.usage.output_tokens': String(spent(call)),
      'gen_ai.usage.total_tokens': String(all(call) + spent(call)),
    }),
  },
}

const count = fc.oneof(fc.constant(0), fc.nat(50), fc.nat(200_000))
const calls = fc.record({ plain: count, read: count, written: count, text: count, reasoning: count })

/** Refused are those of 0 tokens, and of two meanings that agree with one total both. */
test.each(Object.entries(ENCODINGS))(
  'usage as %s writes it is stored as used, or refused',
  (_name, encoding) => {
    let exact = 0
    const numRuns = scaled(300, 10_000)
    fc.assert(
      fc.property(calls, fc.boolean(), (drawn, isRenamed) => {
        const call = { ...drawn, ...Object.fromEntries((encoding.lacks ?? []).map(name => [name, 0])) }
        const counted = countedIn(isRenamed ? 'renamed' : encoding.scope, encoding.encode(call))
        if (typeof counted === 'string') return
        if (!isRenamed) exact += 1
        expect(counted).toEqual([call.plain, call.read, call.written, spent(call)])
      }),
      { numRuns },
    )
    expect(exact).toBeGreaterThan(numRuns * 0.35)
  },
)

const FIXTURES = Object.entries(ENCODINGS).flatMap(([name, { fixture, ...encoding }]) =>
  fixture === undefined ? [] : [[name, fixture, encoding] as const],
)

const RECORDED = Object.entries(ENCODINGS).flatMap(([name, { client, ...encoding }]) =>
  client === undefined ? [] : [[name, client, encoding] as const],
)

test.each(RECORDED)(
  '%s writes what its client %s has sent',
  async (_name, client, { scope, encode, lacks = [] }) => {
    const { uncached, read, written, output, reasoning } = VECTOR
    const isWritten = !lacks.includes('written')
    const call = { plain: isWritten ? uncached : uncached + written, read, written: isWritten ? written : 0 }
    // Some leave out the reasoning, and what is 0.
    const kept = [reasoning, 0].map(thought => {
      const attributes: Record<string, AttributeValue> = {}
      const sent = encode({ ...call, text: output - thought, reasoning: thought })
      for (const [name, value] of Object.entries(sent)) {
        if (NUMBERS.test(name)) keep(attributes, name, value)
      }
      return expect.objectContaining(attributes)
    })
    const packed = readFileSync(join(ROOT_PATH, `test/fixtures/clients/${client}.bin.gz`))
    const bytes = Uint8Array.from(gunzipSync(packed))
    const { spans } = await readExport({ bytes, format: 'protobuf', encoding: null })
    const said = spans.filter(span => span.scope?.startsWith(scope)).map(({ attributes }) => attributes)
    expect(kept.some(wanted => said.some(one => wanted.asymmetricMatch(one)))).toBe(true)
  },
)

/** Attributes that hold counts. */
const NUMBERS = /usage|token_count/

test.each(FIXTURES)('%s writes what %s has recorded of it', (_name, fixture, { encode, lacks = [] }) => {
  const { uncached, read, written, output, reasoning } = VECTOR
  // Input that OpenAI writes to a cache is plain where nobody says so.
  const plain = fixture.includes('openai') ? uncached + written : uncached
  const lacksWritten = lacks.includes('written')
  const sent = encode({
    plain,
    read,
    written: lacksWritten ? 0 : written,
    text: output - reasoning,
    reasoning,
  })
  const recorded = JSON.parse(
    readFileSync(join(ROOT_PATH, 'test/fixtures/otlp', fixture), 'utf8'),
  ) as Recorded
  const spans = recorded.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans: some }) => some),
  )
  const said = spans.map(({ attributes }) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.intValue ?? value.stringValue])),
  )
  expect(said).toContainEqual(expect.objectContaining(sent))
})

interface Recorded {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly attributes: readonly {
          readonly key: string
          readonly value: { readonly intValue?: number; readonly stringValue?: string }
        }[]
      }[]
    }[]
  }[]
}
