/** A program to record, by the name of its fixture, in the packages `programs`. */
export interface Program {
  readonly name: string
  /** Its file in `programs/`. */
  readonly run: string
  /** Which of the stock exporters it uses. */
  readonly format: 'http' | 'proto'
  readonly env?: Readonly<Record<string, string>>
}

export const PROGRAMS: readonly Program[] = [
  { name: 'ai_sdk_7', run: 'ai_sdk_7.mjs', format: 'http' },
  { name: 'ai_sdk_7_proto', run: 'ai_sdk_7.mjs', format: 'proto', env: { ONLY: 'answers' } },
  aiSdk('6', 'openai'),
  aiSdk('6', 'anthropic'),
  aiSdk('5', 'openai'),
  aiSdk('5', 'anthropic'),
  aiSdk('5', 'google'),
  { name: 'anthropic', run: 'anthropic.mjs', format: 'http' },
  { name: 'anthropic_proto', run: 'anthropic.mjs', format: 'proto' },
  { name: 'openinference_openai', run: 'openinference_openai.mjs', format: 'http' },
  { name: 'openinference_langchain', run: 'openinference_langchain.mjs', format: 'http' },
  { name: 'openinference_openai_agents', run: 'openinference_openai_agents.mjs', format: 'http' },
  { name: 'openllmetry_openai', run: 'openllmetry_openai.mjs', format: 'http' },
  { name: 'langfuse', run: 'langfuse.mjs', format: 'http' },
  { name: 'google_adk', run: 'google_adk.py', format: 'proto' },
  { name: 'microsoft_agent_framework', run: 'microsoft_agent_framework.py', format: 'proto' },
]

function aiSdk(version: '5' | '6', provider: 'openai' | 'anthropic' | 'google'): Program {
  return {
    name: `ai_sdk_${version}_${provider}`,
    run: 'ai_sdk_5_6.mjs',
    format: 'http',
    env: { AI_VERSION: version, MODEL_PROVIDER: provider },
  }
}
