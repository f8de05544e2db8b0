import { expect, test } from 'vitest'
import type { Evidence } from '../../../../src/rules/evidence.ts'
import { DEFAULT_POLICY, FIRST_PROMOTION_REASON } from '../../../../src/rules/policy.ts'
import { isPassed, replayReasons } from '../../../../src/rules/decisions/replay.ts'
import { suppose, supposedQuestion } from '../../../../src/rules/decisions/what_if.ts'

const DECIDED = { release_id: 'rel_2', environment: 'prod' }
const NOW = { min_candidate_runs: 500, min_baseline_runs: 500, min_low_runs: 50 }

/** Evidence of a first promotion. */
const FIRST: Evidence = {
  window: { text: '1h', since: '2026-01-31T11:00:00.000Z', until: '2026-01-31T12:00:00.000Z' },
  promotion_requires_approval: false,
  policy: DEFAULT_POLICY,
  evaluated_at: '2026-01-31T12:00:00.000Z',
  evaluation: null,
  request: null,
}

const FREEZE = { from: 'sat 00:00', to: 'sun 00:00', reason: 'a Saturday' }
const FROZEN = 'prod is frozen from sat 00:00 to sun 00:00 UTC: a Saturday (freeze)'

test.each([
  ['0.1.0, which wrote no number', {}, [FIRST_PROMOTION_REASON]],
  ['1, which know no gates', { rules_version: 1, gates: { freeze: [FREEZE] } }, [FIRST_PROMOTION_REASON]],
  ['2', { rules_version: 2 }, [FIRST_PROMOTION_REASON]],
  ['2 with a freeze', { rules_version: 2, gates: { freeze: [FREEZE] } }, [FROZEN]],
  ['a version to come', { rules_version: 99 }, undefined],
] as const)('by the rules of %s', (_, more, reasons) => {
  expect(replayReasons({ ...FIRST, ...more }, DECIDED)).toEqual(reasons)
})

test('a decision passed where nothing speaks against it, or it was the first', () => {
  expect([[], [FIRST_PROMOTION_REASON], [FROZEN]].map(isPassed)).toEqual([true, true, false])
})

test('another policy is not asked of a first promotion either, and a freeze goes on to block', () => {
  const strict = { policy: { ...DEFAULT_POLICY, max_latency_p99_ms: 1 } }
  const by = (evidence: Evidence) => suppose(evidence, DECIDED, supposedQuestion(evidence, strict, NOW))
  expect(by(FIRST)).toEqual({ passed: true, reasons: [FIRST_PROMOTION_REASON], unknown: [] })
  expect(by({ ...FIRST, rules_version: 2, gates: { freeze: [FREEZE] } })).toMatchObject({ reasons: [FROZEN] })
})
