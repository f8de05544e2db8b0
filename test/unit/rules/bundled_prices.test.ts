import { expect, test } from 'vitest'
import { BUNDLED_PREFIX, STALE_AFTER_DAYS, bundledAgeDays, isStale } from '../../../src/rules/cost.ts'
import { DAY_MS } from '../../../src/base/time.ts'

const MIDNIGHT = Date.UTC(2026, 7, 21)

test('the prefix and the age are those of the specification', () => {
  expect([BUNDLED_PREFIX, STALE_AFTER_DAYS]).toEqual(['svc-bundled-', 90])
})

test.for([
  [0, 0],
  [DAY_MS - 1, 0],
  [DAY_MS, 1],
  [90 * DAY_MS, 90],
  [91 * DAY_MS - 1, 90],
  [91 * DAY_MS, 91],
  [-1, -1],
] as const)('%d ms after its date a bundled table is %d days old', ([elapsed, days]) => {
  expect(bundledAgeDays('svc-bundled-2026-08-21', MIDNIGHT + elapsed)).toBe(days)
})

test.for(['2026-08-21', 'bundled-2026-08-21', 'my-svc-bundled-2026-08-21', 'SVC-BUNDLED-2026-08-21', ''])(
  '%j is not a bundled table',
  version => {
    expect(bundledAgeDays(version, MIDNIGHT)).toBeUndefined()
  },
)

test.for([
  '',
  '2026',
  '2026-08',
  '20260821',
  '2026-8-21',
  '2026-02-30',
  '2026-13-01',
  '2026-08-21b',
  'latest',
])('a bundled table of %j has no known age', date => {
  expect(bundledAgeDays(`svc-bundled-${date}`, MIDNIGHT)).toBeNull()
})

test.for([
  [91, 90, true],
  [90, 90, false],
  [0, 90, false],
  [-1, 0, false],
  [1, 0, true],
  [null, 90, true],
] as const)('an age of %j days is stale after %d: %s', ([age, limit, stale]) => {
  expect(isStale(age, limit)).toBe(stale)
})
