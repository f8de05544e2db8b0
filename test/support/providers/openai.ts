import { ALL_INPUT, ANSWER, TOTAL, VECTOR } from './vector.ts'
import type { ModelRequest, Said } from './protocol.ts'

const CHAT_USAGE = {
  prompt_tokens: ALL_INPUT,
  completion_tokens: VECTOR.output,
  total_tokens: TOTAL,
  prompt_tokens_details: { cached_tokens: VECTOR.read, cache_write_tokens: VECTOR.written, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: VECTOR.reasoning, audio_tokens: 0 },
}

/** POST /chat/completions. Streams report usage only on request, as the real one. */
export function chatCompletions(request: ModelRequest, nth: number): Said {
  const head = { id: `chatcmpl-${nth}`, created: 1_790_000_000, model: request.model }
  const call = toolCalled(request)
  const message = { role: 'assistant', content: call === undefined ? ANSWER : null, refusal: null }
  const calls =
    call === undefined ? {} : { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }
  const finish_reason = call === undefined ? 'stop' : 'tool_calls'
  if (request.stream !== true) {
    const choices = [{ index: 0, message: { ...message, ...calls }, finish_reason, logprobs: null }]
    return { json: { ...head, object: 'chat.completion', choices, usage: CHAT_USAGE } }
  }
  const chunk = (choices: unknown[], usage: unknown = null) => ({
    data: { ...head, object: 'chat.completion.chunk', choices, usage },
  })
  return {
    events: [
      chunk([{ index: 0, delta: { ...message, ...calls }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      ...(request.stream_options?.include_usage === true ? [chunk([], CHAT_USAGE)] : []),
      { data: '[DONE]' },
    ],
  }
}

const RESPONSE_USAGE = {
  input_tokens: ALL_INPUT,
  input_tokens_details: { cached_tokens: VECTOR.read, cache_write_tokens: VECTOR.written },
  output_tokens: VECTOR.output,
  output_tokens_details: { reasoning_tokens: VECTOR.reasoning },
  total_tokens: TOTAL,
}

/** POST /responses. */
export function responses(request: ModelRequest, nth: number): Said {
  const call = toolCalled(request)
  const content = [{ type: 'output_text', text: ANSWER, annotations: [], logprobs: [] }]
  const item =
    call === undefined
      ? { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
      : { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed', ...call }
  const response = {
    id: `resp_${nth}`,
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    model: request.model,
    output: [item],
    usage: RESPONSE_USAGE,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
  }
  if (request.stream !== true) return { json: response }
  const place = { item_id: item.id, output_index: 0, content_index: 0 }
  const text =
    call === undefined ? [{ type: 'response.output_text.delta', ...place, delta: ANSWER, logprobs: [] }] : []
  const parts = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    ...text,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
  return {
    events: parts.map((part, sequence_number) => ({ event: part.type, data: { ...part, sequence_number } })),
  }
}

/** The first tool on offer, unless it was called already. */
function toolCalled(request: ModelRequest): { name: string; arguments: string } | undefined {
  const [tool] = (request.tools ?? []) as { name?: string; function?: { name: string } }[]
  const wasCalled = /"role":"tool"|"function_call_output"/.test(JSON.stringify(request))
  const name = tool?.name ?? tool?.function?.name
  return name === undefined || wasCalled ? undefined : { name, arguments: '{"order":"4711"}' }
}
