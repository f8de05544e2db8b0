import type { Packages } from './packages.ts'

/** A client with what traces it. The model refuses those whose name ends with `_fails`. */
export interface Client {
  readonly name: string
  readonly title: string
  readonly packages: Packages
  /** What `programs/clients.py` has to call, and by what it is traced; empty for a program of its own. */
  readonly call: string
  readonly by: readonly string[]
  /** Of the price table. */
  readonly provider: keyof typeof MODELS
}

/** How many calls of a model a client was answered, or why it isn't run. */
export type Truth = { readonly calls: number } | { readonly notRun: string }

/** What a recording of the clients writes down. */
export interface Truths {
  /** The installed packages, by environment. */
  readonly versions: Readonly<Record<string, readonly string[]>>
  readonly clients: Readonly<Record<string, Truth>>
}

/** Models of the programs, by provider. */
export const MODELS = {
  openai: 'gpt-5.6',
  anthropic: 'claude-opus-5',
  google: 'gemini-3-flash',
  bedrock: 'anthropic.claude-opus-5',
  mistral: 'mistral-large',
  groq: 'llama-5',
} as const

const client = (
  packages: Packages,
  name: string,
  title: string,
  call = '',
  by: readonly string[] = [],
  provider: Client['provider'] = 'openai',
): Client => ({ name, title, packages, call, by, provider })

/** Instrumentors of OpenInference, and of OpenTelemetry and OpenLLMetry, which share a place. */
const oi = (module: string, name: string): string =>
  `openinference.instrumentation.${module}.${name}Instrumentor`
const otel = (module: string, name: string): string =>
  `opentelemetry.instrumentation.${module}.${name}Instrumentor`

// oxfmt-ignore
export const CLIENTS: readonly Client[] = [
  client('openinference', 'openinference_py_openai', 'OpenInference, openai', 'openai_chat', [oi('openai', 'OpenAI')]),
  client('openinference', 'openinference_py_openai_stream', 'OpenInference, openai, stream', 'openai_chat:stream', [oi('openai', 'OpenAI')]),
  client('openinference', 'openinference_py_openai_responses', 'OpenInference, openai, Responses', 'openai_response', [oi('openai', 'OpenAI')]),
  client('openinference', 'openinference_py_anthropic', 'OpenInference, anthropic', 'anthropic_message', [oi('anthropic', 'Anthropic')], 'anthropic'),
  client('openinference', 'openinference_py_anthropic_stream', 'OpenInference, anthropic, stream', 'anthropic_message:stream', [oi('anthropic', 'Anthropic')], 'anthropic'),
  client('openinference', 'openinference_py_google_genai', 'OpenInference, google-genai', 'gemini_content', [oi('google_genai', 'GoogleGenAI')], 'google'),
  client('openinference', 'openinference_py_google_genai_stream', 'OpenInference, google-genai, stream', 'gemini_content:stream', [oi('google_genai', 'GoogleGenAI')], 'google'),
  client('openinference', 'openinference_py_bedrock', 'OpenInference, Bedrock Converse', 'bedrock_converse', [oi('bedrock', 'Bedrock')], 'bedrock'),
  client('openinference', 'openinference_py_mistralai', 'OpenInference, mistralai', 'mistral_chat', [oi('mistralai', 'MistralAI')], 'mistral'),
  client('openinference', 'openinference_py_groq', 'OpenInference, groq', 'groq_chat', [oi('groq', 'Groq')], 'groq'),
  client('openinference', 'openinference_py_litellm', 'OpenInference, litellm', 'litellm_completion', [oi('litellm', 'LiteLLM')]),
  client('openinference', 'openinference_py_dspy', 'DSPy, OpenInference with litellm', 'dspy_predict', [oi('dspy', 'DSPy'), oi('litellm', 'LiteLLM')]),
  client('openinference', 'openinference_py_instructor', 'instructor, OpenInference with openai', 'instructor_order', [oi('instructor', 'Instructor'), oi('openai', 'OpenAI')]),
  client('openinference', 'anthropic_py', 'anthropic alone', 'anthropic_message', [], 'anthropic'),
  client('openinference', 'anthropic_py_stream', 'anthropic alone, stream', 'anthropic_message:stream', [], 'anthropic'),
  client('openllmetry', 'openllmetry_py_openai', 'OpenLLMetry, openai', 'openai_chat', [otel('openai', 'OpenAI')]),
  client('openllmetry', 'openllmetry_py_openai_stream', 'OpenLLMetry, openai, stream', 'openai_chat:stream', [otel('openai', 'OpenAI')]),
  client('openllmetry', 'openllmetry_py_openai_responses', 'OpenLLMetry, openai, Responses', 'openai_response', [otel('openai', 'OpenAI')]),
  client('openllmetry', 'openllmetry_py_anthropic', 'OpenLLMetry, anthropic', 'anthropic_message', [otel('anthropic', 'Anthropic')], 'anthropic'),
  client('openllmetry', 'openllmetry_py_anthropic_stream', 'OpenLLMetry, anthropic, stream', 'anthropic_message:stream', [otel('anthropic', 'Anthropic')], 'anthropic'),
  client('openllmetry', 'openllmetry_py_bedrock', 'OpenLLMetry, Bedrock Converse', 'bedrock_converse', [otel('bedrock', 'Bedrock')], 'bedrock'),
  client('openllmetry', 'openllmetry_py_google', 'OpenLLMetry, google-genai', 'gemini_content', [otel('google_generativeai', 'GoogleGenerativeAi')], 'google'),
  client('openllmetry', 'openllmetry_py_groq', 'OpenLLMetry, groq', 'groq_chat', [otel('groq', 'Groq')], 'groq'),
  client('openllmetry', 'openllmetry_py_mistralai', 'OpenLLMetry, mistralai', 'mistral_chat', [otel('mistralai', 'MistralAi')], 'mistral'),
  client('otel_openai', 'otel_py_openai', 'OpenTelemetry, openai', 'openai_chat', [otel('openai_v2', 'OpenAI')]),
  client('otel_openai', 'otel_py_openai_stream', 'OpenTelemetry, openai, stream', 'openai_chat:stream', [otel('openai_v2', 'OpenAI')]),
  client('otel', 'otel_py_google_genai', 'OpenTelemetry, google-genai', 'gemini_content', [otel('google_genai', 'GoogleGenAiSdk')], 'google'),
  client('otel', 'otel_py_botocore', 'OpenTelemetry, Bedrock Converse by botocore', 'bedrock_converse', [otel('botocore', 'Botocore')], 'bedrock'),
  client('otel', 'otel_py_botocore_invoke', 'OpenTelemetry, Bedrock InvokeModel by botocore', 'bedrock_invoke', [otel('botocore', 'Botocore')], 'bedrock'),
  client('langchain', 'openinference_py_langchain_openai', 'LangGraph agent, OpenInference', 'langgraph:openai', [oi('langchain', 'LangChain')]),
  client('langchain', 'openinference_py_langchain_openai_stream', 'LangChain stream, OpenInference', 'langchain_stream:openai', [oi('langchain', 'LangChain')]),
  client('langchain', 'openinference_py_langchain_anthropic', 'LangGraph agent on anthropic 2, OpenInference', 'langgraph:anthropic', [oi('langchain', 'LangChain')], 'anthropic'),
  client('langchain', 'openinference_py_langchain_anthropic_stream', 'LangChain stream on anthropic 2, OpenInference', 'langchain_stream:anthropic', [oi('langchain', 'LangChain')], 'anthropic'),
  client('langchain', 'openinference_py_langchain_google', 'LangChain google-genai, OpenInference', 'langchain:google', [oi('langchain', 'LangChain')], 'google'),
  client('langchain', 'openinference_py_langchain_aws', 'LangChain aws, OpenInference', 'langchain:aws', [oi('langchain', 'LangChain')], 'bedrock'),
  client('langchain', 'openinference_py_langchain_and_openai', 'LangGraph agent, OpenInference twice', 'langgraph:openai', [oi('langchain', 'LangChain'), oi('openai', 'OpenAI')]),
  client('langchain', 'langfuse_py_openai', 'Langfuse, openai', 'openai_chat', ['langfuse_openai']),
  client('langchain', 'langfuse_py_openai_responses', 'Langfuse, openai, Responses', 'openai_response', ['langfuse_openai']),
  client('langchain', 'langfuse_py_openai_stream', 'Langfuse, openai, stream', 'openai_chat:stream', ['langfuse_openai']),
  client('langchain', 'langfuse_py_by_hand', 'Langfuse, anthropic, usage_details by hand', 'langfuse_by_hand', ['langfuse'], 'anthropic'),
  client('langchain', 'langfuse_py_langchain', 'Langfuse, LangGraph agent', 'langfuse_langgraph', ['langfuse']),
  client('langchain', 'langsmith_py', 'LangSmith by OTel, LangGraph agent', 'langgraph:openai', ['langsmith']),
  client('logfire', 'logfire_py_openai', 'Logfire, openai', 'openai_chat', ['logfire:openai']),
  client('logfire', 'logfire_py_openai_stream', 'Logfire, openai, stream', 'openai_chat:stream', ['logfire:openai']),
  client('logfire', 'logfire_py_openai_responses', 'Logfire, openai, Responses', 'openai_response', ['logfire:openai']),
  client('logfire', 'logfire_py_anthropic', 'Logfire, anthropic', 'anthropic_message', ['logfire:anthropic'], 'anthropic'),
  client('logfire', 'pydantic_ai_openai', 'Pydantic AI, openai', 'pydantic_agent:openai-chat:gpt-5.6', ['pydantic_ai']),
  client('logfire', 'pydantic_ai_responses', 'Pydantic AI, openai, Responses', 'pydantic_agent:openai-responses:gpt-5.6', ['pydantic_ai']),
  client('logfire', 'pydantic_ai_stream', 'Pydantic AI, openai, stream', 'pydantic_stream', ['pydantic_ai']),
  client('logfire', 'pydantic_ai_anthropic', 'Pydantic AI, anthropic', 'pydantic_agent:anthropic:claude-opus-5', ['pydantic_ai'], 'anthropic'),
  client('llamaindex', 'openinference_py_llama_index', 'LlamaIndex chat, OpenInference', 'llama_index_chat', [oi('llama_index', 'LlamaIndex')]),
  client('llamaindex', 'openinference_py_llama_index_agent', 'LlamaIndex FunctionAgent, OpenInference', 'llama_index_agent', [oi('llama_index', 'LlamaIndex')]),
  client('llamaindex', 'openinference_py_llama_index_agent_stream', 'LlamaIndex FunctionAgent, stream, OpenInference', 'llama_index_agent:stream', [oi('llama_index', 'LlamaIndex')]),
  client('agents', 'openinference_py_openai_agents', 'OpenAI Agents, OpenInference', 'openai_agents', [oi('openai_agents', 'OpenAIAgents')]),
  client('agents', 'openinference_py_agno', 'agno, OpenInference', 'agno', [oi('agno', 'Agno')]),
  client('agents', 'openinference_py_agno_stream', 'agno, stream, OpenInference', 'agno:stream', [oi('agno', 'Agno')]),
  client('agents', 'openinference_py_smolagents', 'smolagents, OpenInference', 'smolagents', [oi('smolagents', 'Smolagents')]),
  client('autogen', 'autogen_openllmetry', 'AutoGen, OpenLLMetry', 'autogen', [otel('openai', 'OpenAI')]),
  client('semantic_kernel', 'semantic_kernel', 'Semantic Kernel', 'semantic_kernel', []),
  client('semantic_kernel', 'semantic_kernel_stream', 'Semantic Kernel, stream', 'semantic_kernel:stream', []),
  client('strands', 'strands_openai', 'Strands, openai', 'strands:openai', []),
  client('strands', 'strands_anthropic', 'Strands, anthropic', 'strands:anthropic', [], 'anthropic'),
  client('strands', 'strands_bedrock', 'Strands, Bedrock', 'strands:bedrock', [], 'bedrock'),
  client('strands_1_53', 'strands_1_53_bedrock', 'Strands 1.53, Bedrock', 'strands:bedrock', [], 'bedrock'),
  client('openlit', 'openlit_openai', 'OpenLIT, openai', 'openai_chat', ['openlit']),
  client('openlit', 'openlit_anthropic', 'OpenLIT, anthropic', 'anthropic_message', ['openlit'], 'anthropic'),
  client('mlflow', 'mlflow_openai', 'MLflow, openai', 'mlflow_agent', ['mlflow']),
  client('haystack', 'openinference_py_haystack', 'Haystack, OpenInference', 'haystack', [oi('haystack', 'Haystack')]),
  client('beeai', 'openinference_py_beeai', 'BeeAI, OpenInference', 'beeai', [oi('beeai', 'BeeAI')]),
  client('crewai', 'openinference_py_crewai', 'CrewAI, OpenInference with openai', 'crew', [oi('crewai', 'CrewAI'), oi('openai', 'OpenAI')]),
  client('crewai', 'openllmetry_py_crewai', 'CrewAI, OpenLLMetry with openai', 'crew', [otel('crewai', 'CrewAI'), otel('openai', 'OpenAI')]),
  client('genkit', 'genkit', 'Genkit flow, compat-oai'),
  client('mastra', 'mastra', 'Mastra agent'),
  client('spring', 'spring', 'Spring AI'),
  client('openinference', 'openinference_py_anthropic_fails', 'OpenInference, anthropic, fails', 'anthropic_message', [oi('anthropic', 'Anthropic')], 'anthropic'),
  client('openllmetry', 'openllmetry_py_openai_fails', 'OpenLLMetry, openai, fails', 'openai_chat', [otel('openai', 'OpenAI')]),
  client('langchain', 'openinference_py_langchain_openai_fails', 'LangGraph agent, OpenInference, fails', 'langgraph:openai', [oi('langchain', 'LangChain')]),
  client('langchain', 'openinference_py_langchain_anthropic_fails', 'LangGraph agent on anthropic 2, OpenInference, fails', 'langgraph:anthropic', [oi('langchain', 'LangChain')], 'anthropic'),
  client('langchain', 'langfuse_py_langchain_fails', 'Langfuse, LangGraph agent, fails', 'langfuse_langgraph', ['langfuse']),
  client('langchain', 'langsmith_py_fails', 'LangSmith by OTel, LangGraph agent, fails', 'langgraph:openai', ['langsmith']),
  client('agents', 'openinference_py_agno_fails', 'agno, OpenInference, fails', 'agno', [oi('agno', 'Agno')]),
  client('agents', 'openinference_py_openai_agents_fails', 'OpenAI Agents, OpenInference, fails', 'openai_agents', [oi('openai_agents', 'OpenAIAgents')]),
  client('logfire', 'pydantic_ai_openai_fails', 'Pydantic AI, openai, fails', 'pydantic_agent:openai-chat:gpt-5.6', ['pydantic_ai']),
  client('strands', 'strands_openai_fails', 'Strands, openai, fails', 'strands:openai', []),
]
