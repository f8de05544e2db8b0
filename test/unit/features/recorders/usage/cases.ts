import {
  aiSdk,
  anthropicMessage,
  bedrockConverse,
  geminiContent,
  langchainMessage,
  langchainMessages,
  openaiAgents,
  openaiChat,
  openaiResponse,
  sumCounts,
} from '../../../../../src/features/recorders/usage.ts'
import { COUNTS } from '../../../../support/providers/vector.ts'

const COLD = { ...COUNTS, input_tokens: 300, cached_input_tokens: 0, cache_write_input_tokens: 0 }

const NO_CACHE = { cached_input_tokens: 0, cache_write_input_tokens: 0 }

type Shape = readonly [name: string, map: (response: never) => unknown, response: unknown, counts: unknown]

const anthropicStep = {
  usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 700 },
  providerMetadata: { anthropic: { cacheCreationInputTokens: 200 } },
}

/** What the tests with the real packages don't reach: older versions, other integrations, responses without a cache. */
export const SHAPES: readonly Shape[] = [
  ['OpenAI chat, no details', openaiChat, { usage: { prompt_tokens: 300, completion_tokens: 50 } }, COLD],
  [
    'OpenAI chat, details of null',
    openaiChat,
    { usage: { prompt_tokens: 300, completion_tokens: 50, prompt_tokens_details: { cached_tokens: null } } },
    COLD,
  ],
  ['OpenAI response, no details', openaiResponse, { usage: { input_tokens: 300, output_tokens: 50 } }, COLD],
  [
    'Anthropic, nulls',
    anthropicMessage,
    {
      usage: {
        input_tokens: 300,
        output_tokens: 50,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
      },
    },
    COLD,
  ],
  [
    'Gemini, with what a tool gave',
    geminiContent,
    { usageMetadata: { promptTokenCount: 250, toolUsePromptTokenCount: 50, candidatesTokenCount: 50 } },
    COLD,
  ],
  [
    'Gemini, nothing but thoughts',
    geminiContent,
    { usageMetadata: { promptTokenCount: 300, thoughtsTokenCount: 50 } },
    COLD,
  ],
  [
    'Gemini, blocked',
    geminiContent,
    { usageMetadata: { promptTokenCount: 300 } },
    { ...COLD, output_tokens: 0 },
  ],
  [
    'Gemini Live, whose answer is no candidate',
    geminiContent,
    { usageMetadata: { promptTokenCount: 300, responseTokenCount: 50, totalTokenCount: 350 } },
    COLD,
  ],
  [
    'Bedrock, writes by how long they are kept',
    bedrockConverse,
    {
      usage: {
        inputTokens: 100,
        outputTokens: 50,
        totalTokens: 1050,
        cacheReadInputTokens: 700,
        cacheWriteInputTokens: 200,
        cacheDetails: [
          { ttl: '5m', inputTokens: 150 },
          { ttl: '1h', inputTokens: 50 },
        ],
      },
    },
    COUNTS,
  ],
  [
    'xAI by its own SDK, whose cached tokens are those of texts',
    openaiChat,
    {
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 30,
        reasoning_tokens: 20,
        total_tokens: 1050,
        prompt_text_tokens: 900,
        prompt_image_tokens: 100,
        cached_prompt_text_tokens: 700,
      },
    },
    { ...COUNTS, cache_write_input_tokens: 0 },
  ],
  ['Bedrock, no cache', bedrockConverse, { usage: { inputTokens: 300, outputTokens: 50 } }, COLD],
  ['AI SDK 5 on OpenAI', aiSdk, { usage: { inputTokens: 300, outputTokens: 50 } }, COLD],
  [
    'AI SDK 5 on OpenAI, cached',
    aiSdk,
    {
      usage: { inputTokens: 1000, outputTokens: 50, cachedInputTokens: 700 },
      providerMetadata: { openai: { usage: { cacheWriteTokens: 200 } } },
    },
    COUNTS,
  ],
  ['AI SDK 5 on Anthropic', aiSdk, anthropicStep, COUNTS],
  [
    'AI SDK 5 on Bedrock',
    aiSdk,
    { ...anthropicStep, providerMetadata: { bedrock: { usage: { cacheWriteInputTokens: 200 } } } },
    COUNTS,
  ],
  [
    'AI SDK 5, two steps',
    aiSdk,
    {
      ...anthropicStep,
      steps: [anthropicStep, anthropicStep],
      totalUsage: { inputTokens: 200, outputTokens: 100 },
    },
    sumCounts([COUNTS, COUNTS]),
  ],
  [
    'AI SDK 6, two steps',
    aiSdk,
    {
      usage: { inputTokens: 1, outputTokens: 1, inputTokenDetails: {} },
      totalUsage: {
        inputTokens: 1000,
        outputTokens: 50,
        inputTokenDetails: { noCacheTokens: 100, cacheReadTokens: 700, cacheWriteTokens: 200 },
      },
    },
    COUNTS,
  ],
  [
    'AI SDK 6, a provider without details',
    aiSdk,
    { usage: { inputTokens: 300, outputTokens: 50, inputTokenDetails: { noCacheTokens: undefined } } },
    COLD,
  ],
  ...(
    [
      ['xAI, Wei-Shaw/sub2api#5771', 10_120, 1499, 14_428, 2809],
      ['xAI, LiveBench#503', 100, 237, 2238, 1901],
      ['xAI, CLIProxyAPI#5733', 21, 0, 81, 60],
    ] as const
  ).map(([name, input, output, total, reasoning]): Shape => [
    name,
    openaiChat,
    {
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: total,
        completion_tokens_details: { reasoning_tokens: reasoning },
      },
    },
    { ...NO_CACHE, input_tokens: input, output_tokens: output + reasoning },
  ]),
  [
    'AI SDK 5, vercel/ai#9774',
    aiSdk,
    { usage: { inputTokens: 555, outputTokens: 190, totalTokens: 1802, reasoningTokens: 1057 } },
    { ...NO_CACHE, input_tokens: 555, output_tokens: 1247 },
  ],
  [
    'OpenAI Agents, thoughts beside the output',
    openaiAgents,
    {
      state: {
        usage: {
          inputTokens: 10_120,
          outputTokens: 1499,
          totalTokens: 14_428,
          inputTokensDetails: [{ cached_tokens: 100 }, { cached_tokens: 28 }],
          outputTokensDetails: [{ reasoning_tokens: 2809 }],
        },
      },
    },
    { input_tokens: 9992, cached_input_tokens: 128, cache_write_input_tokens: 0, output_tokens: 4308 },
  ],
  [
    'LiteLLM, BerriAI/litellm#11364',
    openaiChat,
    {
      usage: {
        prompt_tokens: 32_445,
        completion_tokens: 5,
        total_tokens: 32_450,
        prompt_tokens_details: { cached_tokens: 0, cache_creation_tokens: 32_435 },
        cache_creation_input_tokens: 32_435,
        cache_read_input_tokens: 0,
      },
    },
    { ...NO_CACHE, input_tokens: 32_445, cache_write_input_tokens: 32_435, output_tokens: 5 },
  ],
  [
    'DeepSeek',
    openaiChat,
    {
      usage: {
        prompt_tokens: 1100,
        completion_tokens: 51,
        total_tokens: 1151,
        prompt_cache_hit_tokens: 400,
        prompt_cache_miss_tokens: 700,
      },
    },
    { ...NO_CACHE, input_tokens: 700, cached_input_tokens: 400, output_tokens: 51 },
  ],
  [
    'Moonshot',
    openaiChat,
    { usage: { prompt_tokens: 1100, completion_tokens: 51, total_tokens: 1151, cached_tokens: 400 } },
    { ...NO_CACHE, input_tokens: 700, cached_input_tokens: 400, output_tokens: 51 },
  ],
  ['counts as texts', openaiChat, { usage: { prompt_tokens: '300', completion_tokens: '50' } }, COLD],
  [
    'LangChain, thoughts beside the output',
    langchainMessage,
    { usage_metadata: { input_tokens: 300, output_tokens: 30, total_tokens: 350 } },
    COLD,
  ],
  [
    'LangChain, cache beside the input',
    langchainMessage,
    {
      usage_metadata: {
        input_tokens: 100,
        output_tokens: 50,
        total_tokens: 1050,
        input_token_details: { cache_read: 700, cache_creation: 200 },
      },
    },
    COUNTS,
  ],
]

type Refusal = readonly [name: string, map: (response: never) => unknown, response: unknown, message: string]

export const REFUSALS: readonly Refusal[] = [
  [
    'a total that nothing explains',
    openaiChat,
    { usage: { prompt_tokens: 949, completion_tokens: 1239, total_tokens: 9000 } },
    'contradict each other: 949 input, 1239 output, 9000 total',
  ],
  [
    'more reasoning than output, without a total',
    openaiResponse,
    { usage: { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 6 } } },
    'contradict each other: 10 input, 5 output, 6 reasoning',
  ],
  [
    'a chat stream nobody asked for usage',
    openaiChat,
    { usage: null },
    'stream_options: { include_usage: true }',
  ],
  ['a response under way', openaiResponse, {}, 'response.completed'],
  ['a message without usage', anthropicMessage, {}, 'final message'],
  ['content without metadata', geminiContent, {}, 'last part'],
  ['a conversation without usage', bedrockConverse, {}, 'metadata'],
  [
    'a provider that reports nothing',
    aiSdk,
    { usage: { inputTokenDetails: {} } },
    'input tokens are not reported',
  ],
  ['a message of a user', langchainMessage, {}, 'streamUsage: true'],
  ['no message of a model', langchainMessages, [{}, {}], 'no message has usage_metadata'],
  ['agents without a run', openaiAgents, { state: {} }, '`completed`'],
  [
    'agents whose stream had no usage',
    openaiAgents,
    { state: { usage: { inputTokens: 0, outputTokens: 0, inputTokensDetails: [] } } },
    'no tokens are reported at all',
  ],
  ['no output', openaiChat, { usage: { prompt_tokens: 1 } }, 'output tokens are not reported'],
  ['a fraction', openaiChat, { usage: { prompt_tokens: 1.5, completion_tokens: 1 } }, 'a whole number'],
  ['a text', openaiChat, { usage: { prompt_tokens: 'one', completion_tokens: 1 } }, 'a whole number'],
  [
    'less than nothing',
    anthropicMessage,
    { usage: { input_tokens: -1, output_tokens: 1 } },
    'a whole number',
  ],
  [
    'more from the cache than in all',
    openaiChat,
    { usage: { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6 } } },
    'contradict each other: 5 input, 1 output, 6 cached input',
  ],
]
