import { expect, test } from 'vitest'
import { ROLLBACK_KEYS } from '../../../src/models/names.ts'
import type { Policy } from '../../../src/models/documents/policy.ts'
import { intervalLimits, policyLimits } from '../../../src/rules/limits.ts'
import { rollbackPolicy } from '../../../src/rules/rollback.ts'
import { POLICY_DOCUMENT } from '../support/policy_document.ts'

const { overrides: _, ...EVERY_KEY } = POLICY_DOCUMENT.document as Policy
const CONTRACT = ['max_cost_per_run_usd', 'max_latency_ms', 'max_error_rate']

const limitsOf = (policy: Policy): string[] =>
  policyLimits(rollbackPolicy(policy)).map(({ policy_key }) => policy_key.split('.', 1)[0]!)

test('a rollback is applied no limit beyond the contract of a policy that has every key', () => {
  const { suites: _suites, ...policy } = EVERY_KEY
  expect(limitsOf({ ...policy, on_rollback: [] })).toEqual(CONTRACT)
  expect(intervalLimits(rollbackPolicy({ ...policy, on_rollback: [] }))).toBe(0)
  for (const key of ['capabilities', 'max_undeclared_tool_calls', 'min_days_to_retirement']) {
    expect(rollbackPolicy(policy)).not.toHaveProperty(key)
  }
})

test('a rollback is applied what on_rollback names, and suites that say so', () => {
  for (const key of ROLLBACK_KEYS) {
    const { suites: _suites, ...policy } = EVERY_KEY
    const applied = rollbackPolicy({ ...policy, on_rollback: [key] })
    expect(limitsOf({ ...policy, on_rollback: [key] }).filter(limit => !CONTRACT.includes(limit))).toContain(
      key,
    )
    expect(rollbackPolicy(applied)).toEqual(applied)
  }
  const suites = { a: { must_pass: true, on_rollback: true }, b: { must_pass: true } }
  expect(rollbackPolicy({ ...EVERY_KEY, suites }).suites).toEqual({ a: suites.a })
})

test('a rollback keeps the settings by which the constraints are decided', () => {
  for (const key of ['require_high_diff_confidence', 'min_baseline_runs', 'unpriced', 'watch'] as const) {
    expect(rollbackPolicy(EVERY_KEY)[key]).toEqual(EVERY_KEY[key])
  }
})
