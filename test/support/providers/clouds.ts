import { ALL_INPUT, ANSWER, TOTAL, VECTOR } from './vector.ts'
import type { ModelRequest, Said } from './protocol.ts'

/** POST …:generateContent. Gemini counts thoughts apart from the candidates, and has no price for cache writes. */
export function geminiContent(request: ModelRequest): Said {
  const said = {
    candidates: [{ content: { role: 'model', parts: [{ text: ANSWER }] }, finishReason: 'STOP', index: 0 }],
    modelVersion: request.model ?? 'gemini-3-flash',
    usageMetadata: {
      promptTokenCount: ALL_INPUT,
      cachedContentTokenCount: VECTOR.read,
      candidatesTokenCount: VECTOR.output - VECTOR.reasoning,
      thoughtsTokenCount: VECTOR.reasoning,
      totalTokenCount: TOTAL,
    },
  }
  return request.stream === true ? { events: [{ data: said }] } : { json: said }
}

/** POST /model/ID/converse. */
export function bedrockConverse(): Said {
  return {
    json: {
      output: { message: { role: 'assistant', content: [{ text: ANSWER }] } },
      stopReason: 'end_turn',
      metrics: { latencyMs: 12 },
      usage: {
        inputTokens: VECTOR.uncached,
        outputTokens: VECTOR.output,
        totalTokens: TOTAL,
        cacheReadInputTokens: VECTOR.read,
        cacheWriteInputTokens: VECTOR.written,
      },
    },
  }
}
