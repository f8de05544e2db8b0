/**
 * What run events are made of, and the attributes that it is read from: the first that is there counts. The names are
 * those of OpenTelemetry's GenAI conventions old and new, AI SDK 5 to 7, OpenInference, OpenLLMetry and Langfuse.
 */
export const FACTS = {
  release_id: ['release_governance.release_id', 'ai.telemetry.metadata.release_id'],
  agent: ['gen_ai.agent.id', 'gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId', 'service.name'],
  version: ['gen_ai.agent.version', 'langfuse.release', 'service.version'],
  environment: ['deployment.environment.name', 'deployment.environment', 'langfuse.environment'],
  tenant_id: ['release_governance.tenant_id', 'ai.telemetry.metadata.tenant_id'],
  task_id: ['release_governance.task_id', 'ai.telemetry.metadata.task_id'],
  session_id: [
    'gen_ai.conversation.id',
    'session.id',
    'langfuse.session.id',
    'ai.telemetry.metadata.session_id',
  ],
  error_type: ['error.type'],
  service: ['service.name'],
} as const

/** The agent's own name, without that of the service, which all of its agents share. */
export const OWN_AGENT = /* @__PURE__ */ FACTS.agent.slice(0, -1)

export const MODELS = {
  requested: [
    'gen_ai.request.model',
    'ai.model.id',
    'llm.request.model_name',
    'llm.model_name',
    'langfuse.observation.model.name',
    'mlflow.llm.model',
  ],
  answered: ['gen_ai.response.model', 'ai.response.model', 'llm.response.model_name'],
  provider: [
    'gen_ai.provider.name',
    'gen_ai.system',
    'ai.model.provider',
    'llm.provider',
    'llm.system',
    'mlflow.llm.provider',
  ],
} as const

/** The provider's id of an answer: two spans with the same one are about the same call. */
export const RESPONSE_IDS = ['gen_ai.response.id', 'ai.response.id'] as const

/** An agent or a workflow, one call of a model that generates, or one of a tool. */
export type SpanKind = 'agent' | 'call' | 'tool'

/** Attributes that say what a span is, and the values by which it is which. */
export const SPAN_KINDS: Readonly<Record<string, Readonly<Partial<Record<SpanKind, readonly string[]>>>>> = {
  'gen_ai.operation.name': {
    agent: ['invoke_agent', 'invoke_workflow'],
    call: ['chat', 'text_completion', 'generate_content'],
    tool: ['execute_tool'],
  },
  'ai.operationId': {
    agent: ['ai.generateText', 'ai.streamText', 'ai.generateObject', 'ai.streamObject'],
    call: [
      'ai.generateText.doGenerate',
      'ai.streamText.doStream',
      'ai.generateObject.doGenerate',
      'ai.streamObject.doStream',
    ],
    tool: ['ai.toolCall'],
  },
  'openinference.span.kind': { agent: ['AGENT', 'CHAIN'], call: ['LLM'], tool: ['TOOL'] },
  'traceloop.span.kind': { agent: ['agent', 'workflow'], tool: ['tool'] },
  'llm.request.type': { call: ['chat', 'completion'] },
  'langfuse.observation.type': { agent: ['agent', 'chain'], call: ['generation'], tool: ['tool'] },
  'genkit:metadata:subtype': { agent: ['flow', 'agent'], call: ['model'], tool: ['tool', 'tool.v2'] },
  'mlflow.spanType': { agent: ['AGENT', 'CHAIN'], call: ['CHAT_MODEL', 'LLM'], tool: ['TOOL'] },
}

/** Where the name of a tool is. */
export const TOOL_NAMES = [
  'gen_ai.tool.name',
  'ai.toolCall.name',
  'tool.name',
  'traceloop.entity.name',
] as const

/** Attributes of spans whose own name is that of the tool or model: values, and where the name is kept. */
export const NAMED_BY_SPAN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'langfuse.observation.type': { tool: 'tool.name' },
  'genkit:metadata:subtype': { tool: 'tool.name', 'tool.v2': 'tool.name', model: 'gen_ai.request.model' },
  'mlflow.spanType': { TOOL: 'tool.name' },
}

/** The class of an exception, on an event of a span. */
export const EXCEPTION_TYPE = 'exception.type'
