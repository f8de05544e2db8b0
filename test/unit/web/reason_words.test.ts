import { expect, test } from 'vitest'
import { reasonWords } from '../../../src/web/reason_words.ts'

test.each([
  ['candidate cost_per_run_usd 0.016458 exceeds max 0.012000', 'Cost $0.0165, limit $0.0120 (37 % over)'],
  ['candidate cost_per_run_usd 2.500000 exceeds max 2.000000', 'Cost $2.50, limit $2.00 (25 % over)'],
  ['candidate latency_ms_avg 1200.00 exceeds max 1000', 'Latency 1200 ms, limit 1000 ms (20 % over)'],
  ['candidate error_rate 0.1000 exceeds max 0.0500', 'Errors 10.0 %, limit 5.0 % (100 % over)'],
  ['candidate error_rate 0.1000 exceeds max 0.0000', 'Errors 10.0 %, limit 0.0 %'],
])('%s is said as %s', (reason, words) => {
  expect(reasonWords(reason)).toBe(words)
})

test('other reasons keep their own words', () => {
  expect(reasonWords('candidate cost_per_run_usd 1 is unknown')).toBeUndefined()
  expect(reasonWords('candidate tokens 2 exceeds max 1')).toBeUndefined()
})
