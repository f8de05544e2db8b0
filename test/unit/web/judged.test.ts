import { expect, test } from 'vitest'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import { resultOf } from '../../../src/rules/result.ts'
import { judged } from '../../../src/rules/verdict_words.ts'

type Verdict = DiffStatistics['latency_ms']['verdict']

function statisticsOf(latency: Verdict, cost: Verdict = 'no_difference', spots = 0): DiffStatistics {
  return {
    latency_ms: { verdict: latency },
    cost_per_run_usd: { verdict: cost },
    error_rate: { verdict: 'inconclusive' },
    segment_regressions: { found_in_all: spots },
  } as unknown as DiffStatistics
}

const passes = { passed: true, reasons: [] }

test.each([
  ['passes', passes, statisticsOf('better'), 'ok', 'Passes the policy'],
  ['is slower', passes, statisticsOf('worse'), 'warn', 'Passes the policy, but slower'],
  [
    'is slower and costlier',
    passes,
    statisticsOf('worse', 'worse'),
    'warn',
    'Passes the policy, but slower and costlier',
  ],
  [
    'hits some',
    passes,
    statisticsOf('better', 'better', 2),
    'warn',
    'Passes the policy, but worse for 2 groups',
  ],
  ['has warnings', { ...passes, warnings: ['mind'] }, undefined, 'warn', 'Passes the policy'],
  [
    'is blocked',
    { passed: false, reasons: ['a', 'b'] },
    statisticsOf('worse'),
    'bad',
    'Blocked by policy: 2 reasons',
  ],
] as const)('a candidate that %s', (_, policy, statistics, tone, title) => {
  const known = judged(
    {
      ...policy,
      result: resultOf(policy),
      reasons: [...policy.reasons],
      warnings: 'warnings' in policy ? [...policy.warnings] : [],
    },
    statistics,
  )
  expect([known.tone, known.title, known.isBlocked]).toEqual([tone, title, !policy.passed])
})
