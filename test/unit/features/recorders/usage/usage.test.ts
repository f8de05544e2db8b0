import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UsageError, bedrockConverse, openaiResponse } from '../../../../../src/features/recorders/usage.ts'
import { REFUSALS, SHAPES } from './cases.ts'

test.each(SHAPES)('%s', (_name, map, response, counts) => {
  expect(map(response as never)).toEqual(counts)
})

test.each(REFUSALS)('%s is an error, not 0 tokens', (_name, map, response, message) => {
  expect(() => map(response as never)).toThrow(UsageError)
  expect(() => map(response as never)).toThrow(message)
})

describe('whatever the split', () => {
  const count = fc.nat(1_000_000)

  test('inclusive and exclusive sources of the same call count the same', () => {
    fc.assert(
      fc.property(
        count,
        count,
        count,
        fc.integer({ min: 1, max: 1_000_000 }),
        (plain, read, written, output) => {
          const all = plain + read + written
          const details = { cached_tokens: read, cache_write_tokens: written }
          const inclusive = openaiResponse({
            usage: { input_tokens: all, output_tokens: output, input_tokens_details: details },
          })
          const exclusive = bedrockConverse({
            usage: {
              inputTokens: plain,
              outputTokens: output,
              cacheReadInputTokens: read,
              cacheWriteInputTokens: written,
            },
          })
          expect(inclusive).toEqual(exclusive)
          expect(inclusive.input_tokens + inclusive.cached_input_tokens).toBe(all)
          expect(inclusive.cache_write_input_tokens).toBeLessThanOrEqual(inclusive.input_tokens)
        },
      ),
    )
  })
})
