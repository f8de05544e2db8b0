/** `all`: the input holds what a cache gave and took; `plain`: it leaves both out. */
type Input = 'all' | 'plain'

/** `within`: the output holds the reasoning; `apart`: it leaves it out; `rest`: what the total has beyond the input. */
type Output = 'within' | 'apart' | 'rest'

/** What the numbers of a source mean. Of several readings the first that agrees with its total counts. */
export interface Rule {
  readonly input: readonly Input[]
  readonly output: readonly Output[]
}

/** What wrote the numbers: `scope` is the instrumentation scope of a span, or one of `sdk:…`. */
export interface Source {
  readonly scope?: string | undefined
  readonly provider?: string | undefined
  /** All names of the model. */
  readonly model?: string | undefined
}

const ANY: Rule['output'] = ['within', 'apart']
const ALL: Rule = { input: ['all'], output: ANY }
const PLAIN: Rule = { input: ['plain'], output: ANY }

/** What the providers' own APIs say where they differ from the conventions: `all` and `within`. */
const PLAIN_PROVIDER = /anthropic|claude|bedrock|aws|amazon|\bnova\b/i
/** Gateways and APIs that report all models as OpenAI does. */
const LIKE_OPENAI = /openai|router|litellm/i
const APART_PROVIDER = /\bx[_.-]?ai\b|grok|google|gemini|gcp|vertex/i

/** By the beginning of the scope, up to a dot or the like; `native` is as the provider's own API has it. */
export const SOURCES: Readonly<Record<string, Rule | 'native'>> = {
  gen_ai: ALL, // AI SDK 7
  ai: 'native', // AI SDK 5; 6 says which input is plain
  'com.anthropic.sdk': ALL,
  agent_framework: ALL,
  'gcp.vertex.agent': ALL, // Google ADK
  'pydantic-ai': ALL,
  logfire: ALL,
  litellm: ALL,
  'genkit-tracer': ALL,
  '@mastra': ALL,
  strands: { input: ['plain', 'all'], output: ANY }, // as the provider has it, which its total tells
  'opentelemetry.instrumentation.botocore': PLAIN,
  'opentelemetry.instrumentation.bedrock': PLAIN,
  'opentelemetry.instrumentation.anthropic': ALL,
  'opentelemetry.instrumentation.openai': ALL,
  'opentelemetry.instrumentation.google_genai': ALL,
  'opentelemetry.instrumentation.google_generativeai': { input: ['all'], output: [...ANY, 'rest'] },
  '@traceloop/instrumentation-openai': ALL,
  openlit: 'native',
  'openinference.instrumentation.openai': ALL,
  'openinference.instrumentation.anthropic': ALL,
  'openinference.instrumentation.langchain': ALL,
  'openinference.instrumentation.llama_index': ALL,
  'openinference.instrumentation.litellm': ALL,
  'openinference.instrumentation.google_genai': ALL,
  'openinference.instrumentation.bedrock': { input: ['plain', 'all'], output: ANY },
  '@arizeai/openinference-instrumentation-openai': ALL,
  '@arizeai/openinference-instrumentation-langchain': ALL,
  '@arizeai/openinference-instrumentation-anthropic': ALL,
  '@arizeai/openinference-instrumentation-bedrock': { input: ['plain', 'all'], output: ANY },
  // Maps of Langfuse: each token in one entry, unless the total says otherwise; or as OpenAI has it.
  'map:langfuse': { input: ['plain', 'all'], output: ['apart', 'within'] },
  'map:openai': ALL,
  // Responses of SDKs.
  'sdk:openai': ALL,
  'sdk:anthropic': PLAIN,
  'sdk:bedrock': PLAIN,
  'sdk:gemini': { input: ['all'], output: ['apart'] },
  'sdk:ai': 'native',
  'sdk:langchain': { input: ['all', 'plain'], output: [...ANY, 'rest'] },
}

/** A rule, and what of it is a guess: nobody knows whether the source follows the conventions or the provider. */
export interface KnownRule extends Rule {
  readonly isInputOpen: boolean
  readonly isOutputOpen: boolean
}

/** The rule of a source. One that isn't in the table goes by the conventions where the provider's own API does, too. */
export function ruleOf({ scope = '', provider = '', model = '' }: Source): KnownRule {
  const found = rowOf(scope)
  if (typeof found === 'object') return { ...found, isInputOpen: false, isOutputOpen: false }
  const names = `${provider} ${model}`
  const isPlain = PLAIN_PROVIDER.test(LIKE_OPENAI.test(provider) ? provider : names)
  const isApart = APART_PROVIDER.test(names)
  const isUnknown = found === undefined
  // Where neither the conventions nor the provider leave the cache out, a total that looks so is of something else.
  const both: Rule['input'] = isApart && !isPlain ? ['all'] : ['all', 'plain']
  const input = isUnknown ? both : ([isPlain ? 'plain' : 'all'] as const)
  return { input, output: ANY, isInputOpen: isUnknown && isPlain, isOutputOpen: isApart }
}

function rowOf(scope: string): Rule | 'native' | undefined {
  const ends = Array.from(scope.matchAll(/[^a-z0-9]/gi), ({ index }) => index)
  for (const end of [...ends, scope.length].toReversed()) {
    const start = scope.slice(0, end)
    if (Object.hasOwn(SOURCES, start) && (start === scope || !SHORT.has(start))) return SOURCES[start]
  }
  return undefined
}

/** Names that others may begin with. */
const SHORT: ReadonlySet<string> = new Set(['ai', 'gen_ai'])
