/** A program to record, by the name of its fixture. */
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

function aiSdk(version: '5' | '6', provider: 'openai' | 'anthropic'): Program {
  return {
    name: `ai_sdk_${version}_${provider}`,
    run: 'ai_sdk_5_6.mjs',
    format: 'http',
    env: { AI_VERSION: version, MODEL_PROVIDER: provider },
  }
}

/** What the programs import beside this project's own packages: OpenTelemetry 2, on which most of them still are. */
export const NPM_PACKAGES = {
  '@anthropic-ai/sdk': '1.12.0',
  '@arizeai/openinference-instrumentation-langchain': '4.1.1',
  '@arizeai/openinference-instrumentation-openai': '4.2.7',
  '@arizeai/openinference-instrumentation-openai-agents': '0.2.15',
  '@langchain/core': '1.4.0',
  '@langchain/langgraph': '1.7.3',
  '@langchain/openai': '1.6.0',
  '@langfuse/openai': '5.11.1',
  '@langfuse/otel': '5.11.1',
  '@langfuse/tracing': '5.11.1',
  '@openai/agents': '0.20.0',
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/context-async-hooks': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/sdk-trace-base': '2.12.0',
  '@traceloop/instrumentation-openai': '0.27.0',
  ai5: 'npm:ai@5.0.277',
  ai6: 'npm:ai@6.0.322',
  anthropic5: 'npm:@ai-sdk/anthropic@2.0.112',
  anthropic6: 'npm:@ai-sdk/anthropic@3.0.137',
  langchain: '1.5.14',
  openai: '7.57.0',
  openai5: 'npm:@ai-sdk/openai@2.0.130',
  openai6: 'npm:@ai-sdk/openai@3.0.141',
} as const

export const PYPI_PACKAGES = [
  'agent-framework-core==1.23.0',
  'agent-framework-openai==1.17.0',
  'google-adk==2.13.0',
  'opentelemetry-exporter-otlp-proto-http==1.44.0',
] as const
