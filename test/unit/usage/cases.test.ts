import { expect, test } from 'vitest'
import { type Sent, type Used, countedIn } from './spans.ts'

const gen = (numbers: Sent, more: Sent = {}): Sent => ({
  ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`gen_ai.usage.${name}`, value])),
  ...more,
})
const openinference = (numbers: Sent): Sent =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [`llm.token_count.${name}`, value]))
const langfuse = (details: object): Sent => ({
  'langfuse.observation.usage_details': JSON.stringify(details),
})

const BEDROCK = { 'gen_ai.system': 'aws.bedrock', 'gen_ai.request.model': 'anthropic.claude-3-5-sonnet-v1:0' }
const CLAUDE = { 'gen_ai.request.model': 'claude-sonnet-4-6' }
const CACHE = { 'cache_read.input_tokens': 300, 'cache_creation.input_tokens': 100 }
const GROK = { 'gen_ai.request.model': 'grok-4.20' }
const THINKING = 'reasoning.output_tokens'

type Case = readonly [title: string, scope: string, sent: Sent, expected: Used | 'refused']

/** What instrumentations were seen to send, and what was used; figures of public reports by their number. */
const CASES: readonly Case[] = [
  [
    'botocore 0.66b2, Converse',
    'opentelemetry.instrumentation.botocore.bedrock-runtime',
    gen({ input_tokens: 701, output_tokens: 51, ...CACHE }, BEDROCK),
    [701, 300, 100, 51],
  ],
  [
    'OpenLLMetry bedrock 0.62.4, whose total leaves the cache out',
    'opentelemetry.instrumentation.bedrock',
    gen({ input_tokens: 701, output_tokens: 51, total_tokens: 752, ...CACHE }, BEDROCK),
    [701, 300, 100, 51],
  ],
  [
    'the same, more uncached than cached',
    'opentelemetry.instrumentation.bedrock',
    gen(
      { input_tokens: 1200, output_tokens: 40, total_tokens: 1240, 'cache_read.input_tokens': 1000 },
      BEDROCK,
    ),
    [1200, 1000, 0, 40],
  ],
  [
    'traceloop/openllmetry#4449',
    'opentelemetry.instrumentation.bedrock',
    gen({ input_tokens: 12, output_tokens: 40, total_tokens: 52, 'cache_read.input_tokens': 1000 }, BEDROCK),
    [12, 1000, 0, 40],
  ],
  [
    'OpenLIT 1.45, Anthropic',
    'openlit.instrumentation.anthropic',
    gen({ input_tokens: 701, output_tokens: 51, ...CACHE }, CLAUDE),
    [701, 300, 100, 51],
  ],
  [
    'OpenLIT 1.45, OpenAI',
    'openlit.instrumentation.openai',
    gen({ input_tokens: 1100, output_tokens: 51, 'cache_read.input_tokens': 400 }),
    [700, 400, 0, 51],
  ],
  [
    'Strands up to 1.53',
    'strands.telemetry.tracer',
    gen({
      input_tokens: 4299,
      output_tokens: 631,
      cache_read_input_tokens: 35_574,
      cache_write_input_tokens: 17_787,
      total_tokens: 58_291,
    }),
    [4299, 35_574, 17_787, 631],
  ],
  [
    'Strands whose exporter lost the cache, Arize-ai/phoenix#13379',
    'openinference.instrumentation.strands_agents',
    openinference({ prompt: 4299, completion: 631, total: 58_291 }),
    'refused',
  ],
  [
    'OpenInference bedrock, Converse',
    'openinference.instrumentation.bedrock',
    {
      ...openinference({ prompt: 701, completion: 51, total: 1152 }),
      ...openinference({ 'prompt_details.cache_read': 300, 'prompt_details.cache_write': 100 }),
      'llm.model_name': 'anthropic.claude-3-5-sonnet-v1:0',
    },
    [701, 300, 100, 51],
  ],
  [
    'langfuse/langfuse#16321: only the total knows of more',
    'openinference.instrumentation.openai',
    openinference({ prompt: 949, completion: 1239, total: 9000 }),
    'refused',
  ],
  [
    'langfuse/langfuse#16508',
    'openinference.instrumentation.openai',
    openinference({ prompt: 100, completion: 50, 'completion_details.reasoning': 1000, total: 1150 }),
    [100, 0, 0, 1050],
  ],
  [
    'langfuse/langfuse#12306',
    'pydantic-ai',
    gen(
      { input_tokens: 130_213, output_tokens: 500, cache_read_tokens: 128_955, cache_write_tokens: 1253 },
      CLAUDE,
    ),
    [5, 128_955, 1253, 500],
  ],
  [
    'pydantic-ai, which repeats what Anthropic says',
    'pydantic-ai',
    gen(
      {
        input_tokens: 1101,
        output_tokens: 51,
        'details.input_tokens': 701,
        'details.output_tokens': 51,
        'details.cache_read_input_tokens': 300,
        'details.cache_creation_input_tokens': 100,
      },
      CLAUDE,
    ),
    [701, 300, 100, 51],
  ],
  [
    'Spring AI, all as texts',
    'org.springframework.boot',
    gen({ input_tokens: '1100', output_tokens: '51', total_tokens: '1151' }),
    [1100, 0, 0, 51],
  ],
  [
    'Grok, vercel/ai and Wei-Shaw/sub2api#5771',
    'gen_ai',
    gen(
      {
        input_tokens: 10_120,
        output_tokens: 1499,
        total_tokens: 14_428,
        'cache_read.input_tokens': 128,
        [THINKING]: 2809,
      },
      GROK,
    ),
    [9992, 128, 0, 4308],
  ],
  [
    'Grok without a total',
    'my-agent',
    gen({ input_tokens: 100, output_tokens: 90, [THINKING]: 60 }, GROK),
    'refused',
  ],
  [
    'more reasoning than output, without a total',
    'gen_ai',
    gen({ input_tokens: 100, output_tokens: 50, [THINKING]: 60 }),
    'refused',
  ],
  [
    'OpenLLMetry google-generativeai 0.62.4: thoughts are in the total alone',
    'opentelemetry.instrumentation.google_generativeai',
    gen(
      { input_tokens: 1001, output_tokens: 51, total_tokens: 1082 },
      { 'gen_ai.request.model': 'gemini-3-flash' },
    ),
    [1001, 0, 0, 81],
  ],
  [
    'AI SDK 5 and Google, vercel/ai#6082',
    'ai',
    {
      'ai.model.provider': 'google.generative-ai',
      'ai.usage.inputTokens': 7477,
      'ai.usage.outputTokens': 2060,
      'ai.usage.reasoningTokens': 1939,
      'ai.usage.totalTokens': 11_476,
    },
    [7477, 0, 0, 3999],
  ],
  [
    'the same, not streamed: thoughts are in the metadata alone',
    'ai',
    {
      'ai.model.provider': 'google.generative-ai',
      'ai.usage.promptTokens': 7477,
      'ai.usage.completionTokens': 2060,
      'ai.response.providerMetadata': JSON.stringify({
        google: {
          usageMetadata: {
            promptTokenCount: 7477,
            candidatesTokenCount: 2060,
            thoughtsTokenCount: 1939,
            totalTokenCount: 11_476,
          },
        },
      }),
    },
    [7477, 0, 0, 3999],
  ],
  [
    'Langfuse 5.0.4 by LangChain',
    'langfuse-sdk',
    langfuse({ input: 700, input_cache_read: 400, output: 51, total: 1151 }),
    [700, 400, 0, 51],
  ],
  [
    'Langfuse 5.0.4, langfuse.openai, chat',
    'langfuse-sdk',
    langfuse({
      completion_tokens: 51,
      prompt_tokens: 1100,
      total_tokens: 1151,
      completion_tokens_details: { reasoning_tokens: 20 },
      prompt_tokens_details: { cached_tokens: 400 },
    }),
    [700, 400, 0, 51],
  ],
  [
    'the same, no total',
    'langfuse-sdk',
    langfuse({ completion_tokens: 51, prompt_tokens: 1100, prompt_tokens_details: { cached_tokens: 400 } }),
    [700, 400, 0, 51],
  ],
  [
    'the same, Responses',
    'langfuse-sdk',
    langfuse({
      input_tokens: 1100,
      output_tokens: 51,
      total_tokens: 1151,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens_details: { reasoning_tokens: 20 },
    }),
    [700, 400, 0, 51],
  ],
  [
    'the same, no cache',
    'langfuse-sdk',
    langfuse({ completion_tokens: 51, prompt_tokens: 1100, total_tokens: 1151 }),
    [1100, 0, 0, 51],
  ],
  [
    'the same by OpenRouter, which says the cost',
    'langfuse-sdk',
    langfuse({
      completion_tokens: 51,
      prompt_tokens: 1100,
      total_tokens: 1151,
      cost: 0.0123,
      prompt_tokens_details: { cached_tokens: 400 },
    }),
    [700, 400, 0, 51],
  ],
  [
    'Langfuse, by hand of Anthropic',
    'langfuse-sdk',
    langfuse({
      input_tokens: 701,
      cache_read_input_tokens: 300,
      cache_creation_input_tokens: 100,
      output_tokens: 51,
    }),
    [701, 300, 100, 51],
  ],
  [
    'LangSmith, which has the cache in its JSON alone',
    'langsmith',
    gen(
      { input_tokens: 1100, output_tokens: 51, total_tokens: 1151 },
      {
        'langsmith.metadata.usage_metadata': JSON.stringify({
          input_tokens: 1100,
          output_tokens: 51,
          total_tokens: 1151,
          input_token_details: { cache_read: 400 },
        }),
      },
    ),
    [700, 400, 0, 51],
  ],
  [
    'a cache beside an input of Claude, by nobody knows whom',
    'my-agent',
    gen({ input_tokens: 1101, output_tokens: 51, total_tokens: 1152, ...CACHE }, CLAUDE),
    'refused',
  ],
  [
    'the same, with the mend of the refusal',
    'my-agent',
    gen({ input_tokens: 1101, output_tokens: 51, uncached_input_tokens: 701, ...CACHE }, CLAUDE),
    [701, 300, 100, 51],
  ],
  [
    'two names of one number that differ',
    'gen_ai',
    gen({ input_tokens: 1101, prompt_tokens: 701, output_tokens: 51 }),
    'refused',
  ],
  [
    'LangSmith of LangChain, Anthropic with a cache by how long it is kept',
    'langsmith',
    {
      'langsmith.metadata.usage_metadata': JSON.stringify({
        input_tokens: 1100,
        output_tokens: 51,
        total_tokens: 1151,
        input_token_details: { cache_read: 300, cache_creation: 0, ephemeral_5m_input_tokens: 100 },
      }),
    },
    [700, 300, 100, 51],
  ],
  [
    'LangSmith of LangChain, OpenAI in the flex tier',
    'langsmith',
    {
      'langsmith.metadata.usage_metadata': JSON.stringify({
        input_tokens: 1100,
        output_tokens: 51,
        total_tokens: 1151,
        input_token_details: { flex_cache_read: 400, flex: 700 },
        output_token_details: { flex_reasoning: 20, flex: 31 },
      }),
    },
    [700, 400, 0, 51],
  ],
  ...['ai', 'openlit.instrumentation.litellm', 'renamed'].map((scope): Case => [
    `Claude behind OpenRouter, by ${scope}`,
    scope,
    gen(
      { input_tokens: 1100, output_tokens: 51, total_tokens: 1151, cached_input_tokens: 400 },
      { 'gen_ai.provider.name': 'openrouter', 'gen_ai.request.model': 'anthropic/claude-opus-5' },
    ),
    [700, 400, 0, 51],
  ]),
  [
    'GPT on Bedrock, which leaves the cache out whatever the model',
    'ai',
    gen(
      { input_tokens: 700, output_tokens: 51, total_tokens: 751, cached_input_tokens: 400 },
      { 'gen_ai.provider.name': 'amazon-bedrock', 'gen_ai.request.model': 'openai.gpt-5.6' },
    ),
    [700, 400, 0, 51],
  ],
  ['a total alone, langfuse/langfuse#8020', 'gen_ai', gen({ total_tokens: 1151 }), 'refused'],
  ...[
    'cache_read.input_tokens',
    'cache_read_input_tokens',
    'cache_read_tokens',
    'details.cache_read_tokens',
    'details.cache_read_input_tokens',
    'cached_input_tokens',
    'input_tokens.cached',
    'input_cached_tokens',
    'cached_tokens',
    'prompt_tokens_details.cached_tokens',
    'cachedContentTokenCount',
    'prompt_cache_hit_tokens',
    'num_cached_tokens',
  ].map((name): Case => [
    `cache reads as ${name}`,
    'gen_ai',
    gen({ input_tokens: 1100, output_tokens: 51, [name]: 400 }),
    [700, 400, 0, 51],
  ]),
  ...[
    'cache_write.input_tokens',
    'cache_write_input_tokens',
    'cache_creation_input_tokens',
    'cache_write_tokens',
    'details.cache_creation_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'input_tokens.cache_write',
  ].map((name): Case => [
    `cache writes as ${name}`,
    'gen_ai',
    gen({ input_tokens: 1100, output_tokens: 51, [name]: 400 }),
    [700, 0, 400, 51],
  ]),
  ...[{}, { 'cache_creation.input_tokens': 400 }].map((sum): Case => [
    `cache writes by how long they are kept, ${Object.keys(sum).length === 0 ? 'without' : 'with'} their sum`,
    'gen_ai',
    gen({
      input_tokens: 1100,
      output_tokens: 51,
      'cache_creation.ephemeral_5m_input_tokens': 300,
      'cache_creation.ephemeral_1h_input_tokens': 100,
      ...sum,
    }),
    [700, 0, 400, 51],
  ]),
  [
    'cache writes of an hour above the stated sum',
    'gen_ai',
    gen({
      input_tokens: 1100,
      output_tokens: 51,
      'cache_creation.ephemeral_1h_input_tokens': 400,
      'cache_creation.input_tokens': 300,
    }),
    'refused',
  ],
]

test.each(CASES)('%s', (_title, scope, sent, expected) => {
  const counted = countedIn(scope, sent)
  if (expected === 'refused') expect(counted).toBeTypeOf('string')
  else expect(counted).toEqual(expected)
})

test.each(CASES)('%s, of a scope that nobody knows: exact or refused', (_title, _scope, sent, expected) => {
  const counted = countedIn('renamed', sent)
  expect(typeof counted === 'string' ? expected : counted).toEqual(expected)
})
