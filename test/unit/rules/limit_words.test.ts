import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../src/models/documents/policy.ts'
import { limitsInWords, looseLimits } from '../../../src/rules/limit_words.ts'
import { policyLimits } from '../../../src/rules/limits.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'

const policyOf = (keys: Partial<Policy>): Policy => ({ ...DEFAULT_POLICY, ...keys })

describe('a limit in words', () => {
  test.each([
    [{ max_cost_per_run_usd: 0.008 }, 'cost may be up to 0.008 USD per run on average'],
    [{ max_latency_ms: 1800 }, 'latency may be up to 1,800 ms on average'],
    [{ max_error_rate: 0.03 }, 'up to 3 % of runs may fail'],
    [{ max_error_rate: 0 }, 'no run may fail'],
    [{ max_cost_increase_pct: 2 }, 'cost may rise by up to 200 %'],
    [{ max_cost_increase_pct: 0.07 }, 'cost may rise by up to 7 %'],
    [{ max_cost_increase_pct: 0 }, 'cost may not rise'],
    [{ max_latency_increase_pct: 0.125 }, 'latency may rise by up to 12.5 %'],
    [{ max_error_rate_increase: 0.02 }, 'error rate may rise by up to 2 points'],
    [{ max_error_rate_increase: 0.01 }, 'error rate may rise by up to 1 point'],
    [{ max_latency_p90_ms: 1500 }, 'latency may be up to 1,500 ms in 90 of 100 runs'],
    [{ max_latency_p95_ms: 2000 }, 'latency may be up to 2,000 ms in 95 of 100 runs'],
    [{ max_latency_p99_ms: 5000 }, 'latency may be up to 5,000 ms in 99 of 100 runs'],
    [{ max_ttft_ms: 800 }, 'time to first token may be up to 800 ms on average'],
    [{ max_ttft_increase_pct: 0.1 }, 'time to first token may rise by up to 10 %'],
    [{ max_ttft_p95_ms: 900 }, 'time to first token may be up to 900 ms in 95 of 100 runs'],
    [
      { max_ttft_p95_increase_pct: 0.1 },
      'time to first token of the slowest 5 in 100 runs may rise by up to 10 %',
    ],
    [{ max_latency_p90_increase_pct: 0.1 }, 'latency of the slowest 10 in 100 runs may rise by up to 10 %'],
    [{ max_latency_p99_increase_pct: 0 }, 'latency of the slowest in 100 runs may not rise'],
    [{ max_tool_calls_increase_pct: 0.1 }, 'tool calls may rise by up to 10 %'],
    [
      { min_scores: { 'regression/pass.rate': 0.8 } },
      'score regression/pass.rate must be 0.8 or more on average',
    ],
    [{ max_score_drop: { help: 0.05 } }, 'score help may fall by up to 0.05'],
    [{ max_score_drop: { help: 0 } }, 'score help may not fall'],
    [
      { capabilities: { widened: 'block' } },
      'a release may have no capabilities that the live one lacks, until somebody acknowledges the difference',
    ],
    [{ capabilities: { forbid: ['sends', 'tool:delete_*'] } }, 'no release may have sends, tool:delete_*'],
    [{ max_undeclared_tool_calls: 0 }, 'no tool may be called that is not declared'],
    [{ max_undeclared_tool_calls: 9 }, 'tools that are not declared may be called up to 9 times'],
    [{ min_days_to_retirement: 30 }, 'no model may retire within 30 days'],
    [
      { overrides: [{ environment: 'prod', capabilities: { widened: 'block' } }] },
      'a release may have no capabilities that the live one lacks, until somebody acknowledges the difference ' +
        '(overrides[0]: environment prod)',
    ],
  ] as [Partial<Policy>, string][])('%j: %s', (keys, text) => {
    expect(limitsInWords(policyOf(keys))).toEqual([text])
  })

  test('there is one for each key that limits anything', () => {
    const keys: Partial<Policy> = {
      max_cost_per_run_usd: 1,
      max_latency_ms: 1,
      max_error_rate: 0.1,
      max_cost_increase_pct: 0.1,
      max_latency_increase_pct: 0.1,
      max_error_rate_increase: 0.1,
      max_latency_p90_ms: 1,
      max_latency_p95_ms: 1,
      max_latency_p99_ms: 1,
      max_ttft_ms: 1,
      max_ttft_increase_pct: 0.1,
      max_ttft_p90_ms: 1,
      max_ttft_p90_increase_pct: 0.1,
      max_ttft_p95_ms: 1,
      max_ttft_p95_increase_pct: 0.1,
      max_ttft_p99_ms: 1,
      max_ttft_p99_increase_pct: 0.1,
      max_tool_calls_increase_pct: 0.1,
      min_scores: { a: 1 },
      max_score_drop: { a: 1 },
    }
    const words = limitsInWords(policyOf(keys))
    expect(words).toHaveLength(policyLimits(policyOf(keys)).length)
    expect(words.filter(text => text.includes('_'))).toEqual([])
  })

  test('names the override that it is of, and limits that one switches off', () => {
    const overrides = [
      { environment: 'prod', max_latency_ms: 1500 },
      { agent_id: 'batch-*', max_latency_ms: null, max_cost_increase_pct: 0.1 },
    ]
    expect(limitsInWords(policyOf({ max_latency_ms: 3000, overrides }))).toEqual([
      'latency may be up to 3,000 ms on average',
      'latency may be up to 1,500 ms on average (overrides[0]: environment prod)',
      'cost may rise by up to 10 % (overrides[1]: agent_id batch-*)',
      'max_latency_ms is switched off (overrides[1]: agent_id batch-*)',
    ])
    expect(limitsInWords(DEFAULT_POLICY)).toEqual([])
  })
})

describe('a limit that lets much through', () => {
  test.each([
    [{ max_cost_increase_pct: 0.49 }, []],
    [
      { max_cost_increase_pct: 0.5 },
      ['max_cost_increase_pct 0.5: cost may rise by up to 50 %; if 0.5 % was meant, write 0.005'],
    ],
    [
      { max_latency_increase_pct: 2 },
      ['max_latency_increase_pct 2: latency may rise by up to 200 %; if 2 % was meant, write 0.02'],
    ],
    [{ max_error_rate_increase: 0.12 }, []],
    [
      { max_error_rate_increase: 0.15 },
      [
        'max_error_rate_increase 0.15: error rate may rise by up to 15 points; if 0.15 % was meant, write 0.0015',
      ],
    ],
    [{ max_error_rate: 1 }, ['max_error_rate 1: up to 100 % of runs may fail; if 1 % was meant, write 0.01']],
    [{ max_latency_ms: 1e9, min_scores: { a: 0 }, max_score_drop: { a: 9 } }, []],
  ])('%j: %j', (keys, warnings) => {
    expect(looseLimits(policyOf(keys))).toEqual(warnings)
  })

  test('is named by its place in the document, and of many the first five', () => {
    const overrides = Array.from({ length: 40 }, (_, index) => ({
      agent_id: `bot-${index}`,
      max_cost_increase_pct: 1,
    }))
    const warnings = looseLimits(policyOf({ overrides }))
    expect(warnings).toHaveLength(6)
    expect(warnings[0]).toMatch(/^overrides\[0\]\.max_cost_increase_pct 1: cost may rise by up to 100 %/)
    expect(warnings.at(-1)).toBe('and 35 more such limits')
  })
})
