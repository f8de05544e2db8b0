import { expect, test } from 'vitest'
import { unlimitedErrors } from '../../../src/rules/policy.ts'
import { compareRates } from '../../../src/rules/statistics/compare.ts'
import { sampleOf } from '../../../src/rules/statistics/samples.ts'

const failing = (errors: number) => sampleOf([{ cluster: '0', n: 100, sum: errors, sum_of_squares: errors }])

test('a proven rise of errors that no limit of the policy sees is said', () => {
  const rise = compareRates(failing(1), failing(58), { over_window: true })
  expect(unlimitedErrors({ max_cost_increase_pct: 0.1, max_error_rate: null }, rise)).toEqual([
    expect.stringMatching(
      /^errors rose from 1\.0 % to 58\.0 %, by at least 4\d\.\d points, and the policy limits none: set /,
    ),
  ])
  for (const limits of [{ max_error_rate: 0.6 }, { max_error_rate_increase: 0.6 }])
    expect(unlimitedErrors(limits, rise)).toEqual([])
  expect(unlimitedErrors({}, compareRates(failing(1), failing(2), { over_window: true }))).toEqual([])
})
