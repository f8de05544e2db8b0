import { expect, test } from 'vitest'
import type { DiffStatistics } from '../../../src/models/answers/statistics.ts'
import { suiteLimits } from '../../../src/rules/suite_limits.ts'

type Suites = NonNullable<DiffStatistics['suites']>

const IMPORTED = {
  suite: 'safety',
  candidate_import_id: 'scr_1',
  age_hours: null,
} as Suites['imported'][number]

test('an import of a time that has not come is no evidence where its age is limited', () => {
  const measured = { suites: { of_rollback: false, imported: [IMPORTED] }, scores: [] }
  const suites = { safety: { max_age: '7d' } }
  expect(suiteLimits({ suites }, measured, 'pass')).toMatchObject([
    {
      passed: false,
      reason:
        'too little evidence on suite safety: its newest import is of a time that has not come yet; import it again once ' +
        'the clock is right (suites.safety.max_age)',
    },
  ])
})
