import { expect, test } from 'vitest'
import { reasonWords } from '../../../src/rules/reason_words.ts'

const RUNS = '(n 677 baseline, 743 candidate)'

test.each([
  [
    'candidate cost_per_run_usd 0.016458 exceeds max 0.012000',
    'cost per run is $0.016458, the limit is $0.012000',
  ],
  ['candidate cost_per_run_usd 2.500000 exceeds max 2.000000', 'cost per run is $2.50, the limit is $2.00'],
  ['candidate latency_ms_avg 1200.00 exceeds max 1000', 'latency is 1,200 ms, the limit is 1,000 ms'],
  ['candidate error_rate 0.1000 exceeds max 0.0500', 'errors are 10.0 %, the limit is 5.0 %'],
  [
    'candidate error_rate 0.1000 exceeds max 0.0500 (overrides[0]: agent_id bot)',
    'errors are 10.0 %, the limit is 5.0 % (overrides[0]: agent_id bot)',
  ],
  [
    `candidate latency_ms +79.1 % [+72.0 %, +86.2 %] exceeds max_latency_increase_pct +30.0 % ${RUNS}`,
    'latency rose by 79.1 %, the limit is 30 %',
  ],
  [
    `candidate latency_ms of task 7 +403.9 % [+363.0 %, +447.8 %] exceeds max_segment_latency_increase_pct +80.0 % ${RUNS}`,
    'latency of task 7 rose by 404 %, the limit is 80 %',
  ],
  [
    `candidate error_rate +0.1000 [+0.0800, +0.1200] exceeds max_error_rate_increase +0.0500 ${RUNS}`,
    'errors rose by 10.0 points, the limit is 5.0 points',
  ],
  [
    `candidate latency_p95_ms 1000 [900, 1100] exceeds max_latency_p95_ms 800 ${RUNS}`,
    'p95 of the latency is 1,000 ms, the limit is 800 ms',
  ],
  [
    `candidate ttft_ms 900 [880, 920] exceeds max_ttft_ms 800 ${RUNS}`,
    'time to first token is 900 ms, the limit is 800 ms',
  ],
  [
    `candidate ttft_p95 +10.0 % [+8.0 %, +12.0 %] exceeds max_ttft_p95_increase_pct +5.0 % ${RUNS}`,
    'p95 of the time to first token rose by 10 %, the limit is 5 %',
  ],
  [
    `candidate latency_p95 +10.0 % [+8.0 %, +12.0 %] exceeds max_latency_p95_increase_pct +5.0 % ${RUNS}`,
    'p95 of the latency rose by 10 %, the limit is 5 %',
  ],
])('%s is said as %s', (reason, words) => {
  expect(reasonWords(reason)).toBe(words)
})

test.each([
  'candidate cost_per_run_usd 1 is unknown',
  'candidate tokens 2 exceeds max 1',
  'diff confidence is LOW; promotion requires HIGH',
])('%s keeps its own words', reason => {
  expect(reasonWords(reason)).toBeUndefined()
})
