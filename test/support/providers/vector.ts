/** The tokens of every answer: one vector, in which no two sums of counts are alike. */
export const VECTOR = { uncached: 100, read: 700, written: 200, output: 50, reasoning: 20 } as const

export const ALL_INPUT = VECTOR.uncached + VECTOR.read + VECTOR.written
export const TOTAL = ALL_INPUT + VECTOR.output

/** VECTOR as our events count it. */
export const COUNTS = {
  input_tokens: VECTOR.uncached + VECTOR.written,
  cached_input_tokens: VECTOR.read,
  cache_write_input_tokens: VECTOR.written,
  output_tokens: VECTOR.output,
} as const

export const ANSWER = 'It is on its way.'
