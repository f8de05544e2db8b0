import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { VECTOR } from '../../support/providers/vector.ts'
import { scaled } from '../../support/scale.ts'
import { type ExportBody, readExport } from '../../../src/features/traces/body.ts'
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
  /** A recorded export that has such a span: a file of test/fixtures/otlp, or a client of test/fixtures/clients. */
  readonly from: string
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
    from: 'ai_sdk_7.json',
  },
  'AI SDK 6': {
    scope: 'ai',
    from: 'ai_sdk_6_anthropic.json',
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
    from: 'ai_sdk_5_anthropic.json',
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
    from: 'ai_sdk_5_google.json',
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
    from: 'anthropic.json',
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
    from: 'otel_py_botocore',
    encode: call => ({ ...BEDROCK, ...gen(call.plain, spent(call), call) }),
  },
  'OpenLLMetry bedrock': {
    scope: 'opentelemetry.instrumentation.bedrock',
    from: 'openllmetry_py_bedrock',
    encode: call => ({
      ...BEDROCK,
      ...gen(call.plain, spent(call), call),
      'gen_ai.usage.total_tokens': call.plain + spent(call),
    }),
  },
  'OpenLLMetry anthropic': {
    scope: 'opentelemetry.instrumentation.anthropic',
    from: 'openllmetry_py_anthropic',
    encode: call => ({
      ...CLAUDE,
      ...gen(all(call), spent(call), call),
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'OpenLLMetry google': {
    scope: 'opentelemetry.instrumentation.google_generativeai',
    from: 'openllmetry_py_google',
    lacks: ['written'],
    encode: call => ({
      'gen_ai.request.model': 'gemini-3-flash',
      'gen_ai.usage.input_tokens': all(call),
      'gen_ai.usage.output_tokens': call.text,
      'gen_ai.usage.cache_read.input_tokens': call.read,
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'Strands 1.53 on Bedrock': {
    scope: 'strands.telemetry.tracer',
    from: 'strands_1_53_bedrock',
    encode: call => ({
      'gen_ai.request.model': 'anthropic.claude-opus-5',
      'gen_ai.usage.input_tokens': call.plain,
      'gen_ai.usage.output_tokens': spent(call),
      'gen_ai.usage.cache_read_input_tokens': call.read,
      'gen_ai.usage.cache_write_input_tokens': call.written,
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  'OpenLIT, Anthropic': {
    scope: 'openlit.instrumentation.anthropic',
    from: 'openlit_anthropic',
    encode: call => ({ ...CLAUDE, ...gen(call.plain, spent(call), call) }),
  },
  'OpenInference openai': {
    scope: '@arizeai/openinference-instrumentation-openai',
    from: 'openinference_openai.json',
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
    from: 'openinference_py_bedrock',
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
    from: 'strands_openai',
    encode: call => ({
      ...gen(all(call), spent(call), call),
      'gen_ai.usage.total_tokens': all(call) + spent(call),
    }),
  },
  BeeAI: {
    scope: 'openinference.instrumentation.beeai',
    from: 'openinference_py_beeai',
    encode: call => ({
      'llm.provider': 'openai',
      'llm.token_count.prompt': all(call),
      'llm.token_count.completion': spent(call),
      'llm.token_count.total': all(call) + spent(call),
      'metadata.usage.cached_prompt_tokens': call.read,
    }),
    lacks: ['written'],
  },
  'Langfuse, one entry per kind': {
    scope: 'langfuse-sdk',
    from: 'langfuse_py_langchain',
    encode: call => ({
      'langfuse.observation.usage_details': JSON.stringify({
        input: call.plain,
        output: call.text,
        total: all(call) + spent(call),
        input_cache_read: call.read,
        input_cache_creation: call.written,
        output_reasoning: call.reasoning,
      }),
    }),
  },
  'Langfuse, as OpenAI': {
    scope: 'langfuse-sdk',
    from: 'langfuse_py_openai',
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
    from: 'spring',
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

test.each(Object.entries(ENCODINGS))(
  '%s writes what is recorded of it',
  async (_name, { scope, from, encode, lacks = [] }) => {
    const { uncached, read, output, reasoning } = VECTOR
    const written = lacks.includes('written') ? 0 : VECTOR.written
    // What is written to a cache is plain input where nobody says so, or missing; some leave out the reasoning, and what is 0.
    const plains = written === 0 ? [uncached, uncached + VECTOR.written] : [uncached]
    const possible = plains.flatMap(plain =>
      [reasoning, 0].map(thought => ({ plain, read, written, text: output - thought, reasoning: thought })),
    )
    const kept = possible.map(call => {
      const attributes: Record<string, AttributeValue> = {}
      for (const [name, value] of Object.entries(encode(call))) {
        if (NUMBERS.test(name)) keep(attributes, name, value)
      }
      return expect.objectContaining(attributes)
    })
    const { spans } = await readExport({ ...recorded(from), encoding: null })
    const said = spans.filter(span => span.scope?.startsWith(scope)).map(({ attributes }) => attributes)
    expect(kept.some(wanted => said.some(one => wanted.asymmetricMatch(one)))).toBe(true)
  },
)

/** Attributes that hold counts. */
const NUMBERS = /usage|token_count/

function recorded(from: string): Pick<ExportBody, 'bytes' | 'format'> {
  if (from.endsWith('.json')) return { bytes: bytesOf(`otlp/${from}`), format: 'json' }
  return { bytes: Uint8Array.from(gunzipSync(bytesOf(`clients/${from}.bin.gz`))), format: 'protobuf' }
}

function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(join(ROOT_PATH, 'test/fixtures', file)))
}
