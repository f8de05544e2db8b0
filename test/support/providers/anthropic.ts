import { ANSWER, VECTOR } from './vector.ts'
import type { ModelRequest, Said } from './protocol.ts'

const USAGE = {
  input_tokens: VECTOR.uncached,
  cache_read_input_tokens: VECTOR.read,
  cache_creation_input_tokens: VECTOR.written,
  cache_creation: { ephemeral_5m_input_tokens: VECTOR.written, ephemeral_1h_input_tokens: 0 },
  output_tokens: VECTOR.output,
  service_tier: 'standard',
}

/** POST /v1/messages. A stream begins with one output token and says the cumulative counts at its end. */
export function anthropicMessages(request: ModelRequest, nth: number): Said {
  const [tool] = (request.tools ?? []) as { name: string }[]
  const isCall = tool !== undefined && !JSON.stringify(request).includes('"tool_result"')
  const input = { order: '4711' }
  const block = isCall
    ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input }
    : { type: 'text', text: ANSWER }
  const stop = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null }
  const head = { id: `msg_${nth}`, type: 'message', role: 'assistant', model: request.model }
  if (request.stream !== true) return { json: { ...head, content: [block], ...stop, usage: USAGE } }
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    : { type: 'text_delta', text: ANSWER }
  const begun = isCall ? { ...block, input: {} } : { ...block, text: '' }
  const open = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...USAGE, output_tokens: 1 },
  }
  const parts = [
    { type: 'message_start', message: open },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: USAGE },
    { type: 'message_stop' },
  ]
  return { events: parts.map(part => ({ event: part.type, data: part })) }
}
