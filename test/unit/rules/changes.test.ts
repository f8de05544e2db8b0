import { expect, test } from 'vitest'
import { policyChangeTexts, priceChangeTexts } from '../../../src/rules/changes.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'

test('an entry says what a policy changed, and is cut where that is much', () => {
  const before = { ...DEFAULT_POLICY, max_latency_ms: 900 }
  const overrides = Array.from({ length: 50 }, (_, at) => ({ agent_id: `agent-${at}`, max_latency_ms: at }))
  const texts = policyChangeTexts(before, { ...DEFAULT_POLICY, max_error_rate: 0.1, overrides })
  expect(texts.slice(0, 2)).toEqual(['max_latency_ms 900 → null', 'max_error_rate null → 0.1'])
  expect(texts[2]).toMatch(/^overrides null → \[\{"agent_id":"agent-0".{150,}…$/)
  expect(texts[2]).toHaveLength(201)
})

test('of a long price table the first 20 changes are said, and how many more there are', () => {
  const entries = Array.from({ length: 25 }, (_, at) => ({
    model: `m${String(at).padStart(2, '0')}`,
    input_usd_per_1k_tokens: 1,
    output_usd_per_1k_tokens: 2,
    cached_input_usd_per_1k_tokens: null,
  }))
  const texts = priceChangeTexts([], entries)
  expect(texts).toHaveLength(21)
  expect([texts[0], texts[20]]).toEqual(['+ m00  input 1, output 2', 'and 5 more'])
  expect(priceChangeTexts(entries, entries)).toEqual([])
})
