import { expect, test } from 'vitest'
import type { Policy } from '../../../src/models/documents/policy.ts'
import { DEFAULT_POLICY } from '../../../src/rules/scope.ts'
import { documentOf, draftOf, isWritten } from '../../../src/web/settings/draft.ts'

/** Has keys that the page has no field for: `suites`, and one of a later version. */
const POLICY = {
  ...DEFAULT_POLICY,
  max_latency_ms: 900,
  suites: { safety: { min_pass_rate: 0.95 } },
  watch: { for: '2h', min_runs: 50, later: true },
  later: { than: 'this page' },
  overrides: [{ agent_id: 'bot', suites: { safety: { must_pass: true } }, max_latency_ms: null }],
} as unknown as Policy

test('a policy that is opened and saved keeps each of its keys, also those without a field', () => {
  const draft = draftOf(POLICY)
  expect(isWritten(draft)).toBe(true)
  expect(documentOf(draft)).toEqual(POLICY)
})

test('an edit changes its key alone', () => {
  const { keys, ...draft } = draftOf(POLICY)
  expect(documentOf({ ...draft, keys: { ...keys, max_latency_ms: 800 } })).toEqual({
    ...POLICY,
    max_latency_ms: 800,
  })
  expect(isWritten({ ...draft, keys: { ...keys, max_latency_ms: 'soon' } })).toBe(false)
})
